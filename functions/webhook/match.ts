/** Creates the deliveries of events. A failed event is retried alone, then dead-lettered. */
import type { SQSRecord } from 'aws-lambda';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { queueHandler, readTask } from '../../shared/event/index.ts';
import { after, clock, log, unsafeTenant, withLogContext } from '../../shared/platform/index.ts';
import { matchEvents } from '../../shared/webhook/index.ts';

interface MatchRequest {
  readonly messageId: string;
  readonly organizationId: string;
  readonly eventId: string;
}

/** Leaves a third of the time for the deliveries in progress. */
const partSeconds = (workers.eventMatch.timeoutSeconds * 2) / 3;

/** Organizations are processed concurrently. Each reads its webhooks once for all of its events. */
export const handler = queueHandler(async (records, finished) => {
  const until = after(clock.now(), partSeconds);
  const groups = Object.entries(Object.groupBy(records.flatMap(readMatchRequest), ({ organizationId }) => organizationId));
  await Promise.all(
    groups.map(async ([organizationId, group = []]) => {
      const matched = await withLogContext({ organizationId }, () => match(organizationId, group, until));
      for (const messageId of matched) finished.add(messageId);
    }),
  );
});

const readMatchRequest = ({ body, messageId }: SQSRecord): readonly MatchRequest[] => {
  try {
    const message = readTask(body);
    if (message?.task.kind !== 'match-event') throw new Error('unexpected task on the event match queue');
    return [{ messageId, organizationId: message.organizationId, eventId: message.task.eventId }];
  } catch (error) {
    log.error('task failed', { error, messageId });
    return [];
  }
};

/** The messages of one organization that succeeded. */
const match = async (organizationId: string, group: readonly MatchRequest[], until: Date): Promise<readonly string[]> => {
  const messageIds = group.map(({ messageId }) => messageId);
  try {
    const eventIds = group.map(({ eventId }) => eventId);
    const failed = await matchEvents(unsafeTenant(organizationId, 'record'), { eventIds, until, clock });
    if (failed.size > 0) log.error('task failed', { messageIds: messageIds.filter((_, n) => failed.has(n)) });
    return messageIds.filter((_, n) => !failed.has(n));
  } catch (error) {
    log.error('task failed', { error, messageIds });
    return [];
  }
};
