/** Which queue an attempt waits in, and how it gets there. */
import type { HealthRecord, NamedAttempt } from '../../delivery/index.ts';
import { queueVariables, sendTask, taskMessage } from '../../event/index.ts';
import { after, delayMaxSeconds, env, iso, log, sendLater, sendMessages, type Tenant } from '../../platform/index.ts';

export type DeliveryQueue = 'delivery' | 'deliveryRetry';

/**
 * The fast queue is for endpoints that answered quickly last time. New, slow and failing endpoints share the retry queue with all
 * retries, so that however many of them hang, they delay no endpoint that has proven fast.
 */
export const queueFor = (health: Pick<HealthRecord, 'isSlow'> | undefined): DeliveryQueue =>
  health?.isSlow === false ? 'delivery' : 'deliveryRetry';

/** By the name of the SQS queue. */
export const deliveryQueueNamed = (queueName: string): DeliveryQueue =>
  env('DELIVERY_QUEUE_URL').endsWith(`/${queueName}`) ? 'delivery' : 'deliveryRetry';

/** One attempt of one delivery, as a message names it. */
export interface AttemptRef extends NamedAttempt {
  readonly webhookId: string;
  readonly deliveryId: string;
}

/** Sends these attempts. Returns the positions of those that the queue did not accept. */
export const sendDeliveries = async (
  tenant: Tenant,
  attempts: readonly (AttemptRef & { readonly queue: DeliveryQueue; readonly delaySeconds?: number | undefined })[],
): Promise<ReadonlySet<number>> => {
  const sendTo = async (queue: DeliveryQueue): Promise<readonly number[]> => {
    const ours = attempts.map((attempt, position) => ({ attempt, position })).filter(({ attempt }) => attempt.queue === queue);
    const messages = ours.map(({ attempt }) => taskMessage(tenant, taskOf(attempt), { delaySeconds: attempt.delaySeconds }));
    const refused = await sendMessages(queueVariables[queue], messages);
    return ours.filter((_, n) => refused.has(n)).map(({ position }) => position);
  };
  return new Set((await Promise.all([sendTo('delivery'), sendTo('deliveryRetry')])).flat());
};

/**
 * Sends an attempt after a delay: with the queue if it can delay that long, else with a Scheduler entry named after the attempt.
 * If the Scheduler refuses, the queue delays as long as it can and the worker requeues the message until `notBefore`.
 */
export const sendAttemptLater = async (
  tenant: Tenant,
  { ref, delaySeconds, now }: { readonly ref: AttemptRef; readonly delaySeconds: number; readonly now: Date },
): Promise<void> => {
  if (delaySeconds <= delayMaxSeconds) return requeueLater(tenant, ref, delaySeconds);
  const due = after(now, delaySeconds);
  if (!(await isScheduled(tenant, ref, due))) await requeueLater(tenant, { ...ref, notBefore: iso(due) }, delaySeconds);
};

/** Puts an attempt on the retry queue, delayed by so many seconds or the longest delay that a queue allows. */
export const requeueLater = (tenant: Tenant, ref: AttemptRef, seconds: number): Promise<void> =>
  sendTask(tenant, taskOf(ref), { delaySeconds: Math.min(seconds, delayMaxSeconds), queue: 'deliveryRetry' });

/** The Scheduler accepts a few hundred entries a second. A failure falls back to the queue instead of repeating the attempt. */
const isScheduled = async (tenant: Tenant, ref: AttemptRef, at: Date): Promise<boolean> => {
  const { deliveryId, attempt } = ref;
  try {
    return await sendLater(`${deliveryId}-${attempt}`, at, taskMessage(tenant, taskOf(ref)).body);
  } catch (error) {
    log.error('the Scheduler did not accept an attempt; using the queue', { error, deliveryId, attempt });
    return false;
  }
};

const taskOf = ({ webhookId, deliveryId, attempt, notBefore }: AttemptRef) =>
  ({ kind: 'deliver', webhookId, deliveryId, attempt, notBefore }) as const;
