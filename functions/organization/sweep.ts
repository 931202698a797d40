/** Every hour: asks for the purge of each organization whose time has come, again for those whose purge did not end. */
import type { TaskMessage } from '../../shared/event/index.ts';
import { duePurges } from '../../shared/organization/index.ts';
import { clock, lambdaHandler, log, newId, type QueueMessage, sendMessages } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (): Promise<void> => {
  const now = clock.now();
  const messages: QueueMessage[] = [];
  for await (const { organizationId, deleteBackupData } of duePurges(now)) {
    const task = { kind: 'purge-organization', deleteBackupData } as const;
    const message = { id: newId('task', now), organizationId, task } satisfies TaskMessage;
    messages.push({ body: JSON.stringify(message), sender: organizationId });
  }
  const refused = await sendMessages('TASK_QUEUE_URL', messages);
  log.info('swept', { due: messages.length, refused: refused.size });
  // The next hour would try again; failing says so where it is watched.
  if (refused.size > 0) throw new Error(`the queue did not take ${refused.size} of ${messages.length} tasks`);
});
