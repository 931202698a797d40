/** Every hour: has the retention of each organization applied in which something is due. */
import type { TaskMessage } from '../../shared/event/index.ts';
import { clock, lambdaHandler, log, newId, type QueueMessage, sendMessages } from '../../shared/platform/index.ts';
import { dueRetentions } from '../../shared/retention/index.ts';

/** Messages held at once. */
const batchMax = 1_000;

export const handler = lambdaHandler(async (): Promise<void> => {
  const now = clock.now();
  let [due, refused] = [0, 0];
  let messages: QueueMessage[] = [];
  const send = async (): Promise<void> => {
    due += messages.length;
    refused += (await sendMessages('CHORE_QUEUE_URL', messages)).size;
    messages = [];
  };
  for await (const { organizationId } of dueRetentions(now)) {
    const message = { id: newId('task', now), organizationId, task: { kind: 'apply-retention' } } satisfies TaskMessage;
    messages.push({ body: JSON.stringify(message), sender: organizationId });
    if (messages.length === batchMax) await send();
  }
  await send();
  log.info('swept for retention', { due, refused });
  // The next hour would try again; failing says so where it is watched.
  if (refused > 0) throw new Error(`the queue did not take ${refused} of ${due} tasks`);
});
