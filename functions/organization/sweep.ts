/** Hourly: starts the purge of every organization that is due, and again of those whose purge did not finish. */
import { taskMessage } from '../../shared/event/index.ts';
import { duePurges } from '../../shared/organization-deletion/index.ts';
import { clock, lambdaHandler, log, type QueueMessage, sendMessages } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (): Promise<void> => {
  const now = clock.now();
  const messages: QueueMessage[] = [];
  for await (const { organizationId, deleteBackupData } of duePurges(now))
    messages.push(taskMessage({ organizationId }, { kind: 'purge-organization', deleteBackupData }, { now }));
  const refused = await sendMessages('TASK_QUEUE_URL', messages);
  log.info('purge sweep finished', { due: messages.length, refused: refused.size });
  // The next sweep would retry, but an error makes the problem visible to the alarm.
  if (refused.size > 0) throw new Error(`the queue did not accept ${refused.size} of ${messages.length} tasks`);
});
