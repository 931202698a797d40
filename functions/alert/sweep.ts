/** Every ten minutes: enqueues a look for silence in each organization, and notes the schema of the table. */
import { organizationsToAssess } from '../../shared/alert/index.ts';
import { queueVariables, taskMessage } from '../../shared/event/index.ts';
import {
  bestEffort,
  clock,
  lambdaHandler,
  log,
  type QueueMessage,
  raiseSchema,
  sendMessages,
} from '../../shared/platform/index.ts';

/** Messages held in memory at once. */
const batchMax = 1_000;
/** Looks that begin in a second. The queue also carries failures, which are reported within a minute: they must not wait behind all looks. */
const looksPerSecond = 50;
/** Less than the period of the sweep. */
const delayMaxSeconds = 540;

export const handler = lambdaHandler(async (): Promise<void> => {
  const now = clock.now();
  // The first sweep after a deployment is the first moment at which all functions are of this release.
  await bestEffort('note the schema of the table', raiseSchema());
  let [found, refused] = [0, 0];
  let messages: QueueMessage[] = [];
  const send = async (): Promise<void> => {
    found += messages.length;
    refused += (await sendMessages(queueVariables.incident, messages)).size;
    messages = [];
  };
  for await (const organization of organizationsToAssess()) {
    const delaySeconds = Math.min(Math.floor((found + messages.length) / looksPerSecond), delayMaxSeconds);
    messages.push(taskMessage(organization, { kind: 'assess-incidents' }, { now, delaySeconds }));
    if (messages.length === batchMax) await send();
  }
  await send();
  log.info('alert sweep finished', { found, refused });
  // The next sweep would retry; failing makes it visible.
  if (refused > 0) throw new Error(`the queue did not accept ${refused} of ${found} tasks`);
});
