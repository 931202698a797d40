/** Delivers stream records to a function in order, until they succeed or their retries are exhausted, like Lambda. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { retryThrottled } from '../lambda/retry-throttled.ts';
import { clientOptions, failedOf, type Mapping, type PollerContext } from './mapping.ts';
import type { StreamRecord } from './stream-record.ts';

/** `passed` is called with each record up to which all records succeeded or were given up. */
export type DeliverRecords = (
  shardId: string,
  records: readonly StreamRecord[],
  passed: (record: StreamRecord) => void,
) => Promise<'done' | 'stopped'>;

const firstRetryMs = 200;
const lastRetryMs = 30_000;

export const makeStreamDelivery = (mapping: Mapping, outside: PollerContext, stopping: AbortSignal): DeliverRecords => {
  const { MaximumRetryAttempts, MaximumRecordAgeInSeconds, BisectBatchOnFunctionError, DestinationConfig } = mapping.properties;
  const retriesMax = limit(MaximumRetryAttempts);
  const ageMaxMs = limit(MaximumRecordAgeInSeconds) * 1_000;
  const destination = (DestinationConfig as { OnFailure?: { Destination?: string } } | undefined)?.OnFailure?.Destination;

  const giveUp = async (failed: FailedRecords): Promise<void> => {
    const { records, condition } = failed;
    outside.warn(`${mapping.functionName} failed for ${records.length} stream records, given up (${condition}); see its log`);
    if (destination) await sendToDeadLetters(destination, { mapping, outside, failed });
  };

  const deliver = async (
    shardId: string,
    records: readonly StreamRecord[],
    passed: (record: StreamRecord) => void,
  ): Promise<'done' | 'stopped'> => {
    let remaining = records;
    for (let retries = 0; remaining.length > 0; ) {
      if (stopping.aborted) return 'stopped';
      const old = remaining.filter(({ dynamodb }) => Date.now() - dynamodb.ApproximateCreationDateTime * 1_000 > ageMaxMs);
      if (old.length > 0) {
        await giveUp({ shardId, records: old, tries: retries, condition: 'RecordAgeExceeded' });
        remaining = remaining.slice(old.length);
        continue;
      }
      const taken = await attempt(remaining);
      const last = remaining[taken - 1];
      if (last) passed(last);
      remaining = remaining.slice(taken);
      if (remaining.length === 0) break;
      // Progress resets the retries of the rest.
      if (taken > 0) retries = 0;
      else if (BisectBatchOnFunctionError && remaining.length > 1) {
        // Bisecting does not count as a retry: it isolates a bad record, which is then retried alone.
        const middle = Math.ceil(remaining.length / 2);
        const first = await deliver(shardId, remaining.slice(0, middle), passed);
        return first === 'stopped' ? first : deliver(shardId, remaining.slice(middle), passed);
      } else if (retries >= retriesMax) {
        await giveUp({ shardId, records: remaining, tries: retries, condition: 'RetryAttemptsExhausted' });
        return 'done';
      } else {
        const waitMs = Math.min(firstRetryMs * 2 ** retries, lastRetryMs) / outside.delayScale;
        await pause(waitMs, undefined, { signal: stopping }).catch(() => {});
        retries += 1;
      }
    }
    return 'done';
  };

  /** The number of records that succeeded, counted from the first. */
  const attempt = async (records: readonly StreamRecord[]): Promise<number> => {
    try {
      // Throttling says nothing of the records: it neither bisects the batch nor counts as a retry.
      const retry = { forMs: Number.POSITIVE_INFINITY, delayScale: outside.delayScale, signal: stopping };
      const result = await retryThrottled(retry, () => outside.invoke(mapping.functionName, { Records: records }));
      const ids = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
      const failed = failedOf(mapping, result, ids);
      const first = ids.findIndex((id) => failed.has(id));
      return first < 0 ? records.length : first;
    } catch {
      return 0;
    }
  };
  return deliver;
};

/** -1 or no value in the template means unlimited. */
const limit = (value: unknown): number => (value === undefined || Number(value) < 0 ? Number.POSITIVE_INFINITY : Number(value));

interface FailedRecords {
  readonly shardId: string;
  readonly records: readonly StreamRecord[];
  readonly tries: number;
  readonly condition: string;
}

/** Like Lambda, sends the position of failed records, not the records. The function's role must allow it. */
const sendToDeadLetters = async (
  destinationArn: string,
  {
    mapping,
    outside,
    failed: { shardId, records, tries, condition },
  }: { readonly mapping: Mapping; readonly outside: PollerContext; readonly failed: FailedRecords },
): Promise<void> => {
  const [, , , , account, queue] = destinationArn.split(':');
  const sqs = new SQSClient(clientOptions(outside));
  const at = (record: StreamRecord | undefined): string =>
    new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1_000).toISOString();
  const body = {
    requestContext: {
      requestId: randomUUID(),
      functionArn: mapping.functionName,
      condition,
      approximateInvokeCount: tries + 1,
    },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: records[0]?.dynamodb.SequenceNumber,
      endSequenceNumber: records.at(-1)?.dynamodb.SequenceNumber,
      approximateArrivalOfFirstRecord: at(records[0]),
      approximateArrivalOfLastRecord: at(records.at(-1)),
      batchSize: records.length,
      streamArn: mapping.sourceArn,
    },
  };
  const url = `${outside.endpoint}/${account}/${queue}`;
  await sqs
    .send(new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify(body) }))
    .catch((error: Error) =>
      outside.warn(`cannot send failed records of ${mapping.functionName} to the dead-letter queue: ${error.message}`),
    )
    .finally(() => sqs.destroy());
};
