/** Runs hourly: enqueues retention of backups for each organization in which it is due. */
import { queueVariables, taskMessage } from '../../shared/event/index.ts';
import { clock, lambdaHandler, log, type QueueMessage, sendMessages } from '../../shared/platform/index.ts';
import { dueOrganizations } from '../../shared/retention/index.ts';

/** Messages held in memory at once. */
const batchMax = 1_000;

export const handler = lambdaHandler(async (): Promise<void> => {
  const now = clock.now();
  let [due, refused] = [0, 0];
  let messages: QueueMessage[] = [];
  const send = async (): Promise<void> => {
    due += messages.length;
    refused += (await sendMessages(queueVariables.bucketWork, messages)).size;
    messages = [];
  };
  for await (const organization of dueOrganizations(now)) {
    messages.push(taskMessage(organization, { kind: 'apply-retention' }, { now }));
    if (messages.length === batchMax) await send();
  }
  await send();
  log.info('retention sweep finished', { due, refused });
  // The next sweep would retry; failing makes it visible.
  if (refused > 0) throw new Error(`the queue did not accept ${refused} of ${due} tasks`);
});
