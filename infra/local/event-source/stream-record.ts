/** A stream record in the form a function receives: plain JSON, bytes as base64, times in epoch seconds. */
import type { _Record } from '@aws-sdk/client-dynamodb-streams';

export interface StreamRecord {
  readonly eventID: string | undefined;
  readonly eventName: string | undefined;
  readonly dynamodb: {
    readonly SequenceNumber: string;
    readonly ApproximateCreationDateTime: number;
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
}

export const recordOf = (record: _Record, sourceArn: string, region: string): StreamRecord => ({
  eventID: record.eventID,
  eventName: record.eventName,
  eventVersion: record.eventVersion,
  eventSource: 'aws:dynamodb',
  awsRegion: region,
  dynamodb: {
    ...(plain(record.dynamodb) as object),
    SequenceNumber: record.dynamodb?.SequenceNumber ?? '',
    ApproximateCreationDateTime: (record.dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0) / 1_000,
  },
  ...(record.userIdentity && { userIdentity: plain(record.userIdentity) }),
  eventSourceARN: sourceArn,
});

const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, its]) => its !== undefined)
      .map(([name, its]) => [name, plain(its)]),
  );
};
