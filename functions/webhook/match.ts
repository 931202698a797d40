/**
 * Makes a delivery of every event that leaves the table for each webhook that is to hear of it. An event for which that is not
 * sure is given again, and only from there on.
 */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { clock, log, proveTenant } from '../../shared/platform/index.ts';
import { matchEvents, readEvent, type StoredEvent } from '../../shared/webhook/index.ts';

interface Leaving {
  readonly organizationId: string;
  readonly event: StoredEvent;
  readonly itemIdentifier: string;
}

/** One organization reads its webhooks once for all of its events of the batch. */
const organizationsAtOnce = 8;

export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const groups = Object.values(Object.groupBy(Records.flatMap(leavingBy), ({ organizationId }) => organizationId));
  const failed: Leaving[] = [];
  for (let start = 0; start < groups.length; start += organizationsAtOnce) {
    const some = groups.slice(start, start + organizationsAtOnce);
    failed.push(...(await Promise.all(some.map((group = []) => match(group)))).flat());
  }
  return { batchItemFailures: failed.map(({ itemIdentifier }) => ({ itemIdentifier })) };
};

const leavingBy = ({ dynamodb }: DynamoDBRecord): readonly Leaving[] => {
  const read = dynamodb?.NewImage && readEvent(dynamodb.NewImage);
  if (read) return [{ ...read, itemIdentifier: dynamodb?.SequenceNumber ?? '' }];
  // Nothing a retry could mend, and it would hold up everything behind it.
  log.error('an event that cannot be read was dropped', { key: dynamodb?.Keys?.sk?.S });
  return [];
};

/** Those of one organization for which it is not sure. */
const match = async (group: readonly Leaving[]): Promise<readonly Leaving[]> => {
  const organizationId = group[0]?.organizationId ?? '';
  try {
    const tenant = proveTenant(organizationId, 'record');
    const failed = await matchEvents(
      tenant,
      group.map(({ event }) => event),
      clock,
    );
    return group.filter((_, n) => failed.has(n));
  } catch (error) {
    log.error('events could not be matched', { error, organizationId, events: group.length });
    return group;
  }
};
