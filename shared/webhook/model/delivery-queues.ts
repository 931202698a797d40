/** Which queue an attempt waits in, and how it gets there. */
import type { TaskMessage } from '../../event/index.ts';
import {
  after,
  delayMaxSeconds,
  env,
  iso,
  log,
  newId,
  type QueueMessage,
  type QueueVariable,
  sendLater,
  sendMessages,
  type Tenant,
} from '../../platform/index.ts';
import type { HealthRecord } from './record.ts';

export type DeliveryQueue = 'delivery' | 'slowDelivery';

/**
 * The quick lane is for endpoints that answered quickly the last time. Those that failed or were slow wait among themselves, and so
 * do new ones: however many that hang are added, they hold up nobody who has proven quick.
 */
export const queueFor = (health: Pick<HealthRecord, 'isSlow'> | undefined): DeliveryQueue =>
  health?.isSlow === false ? 'delivery' : 'slowDelivery';

/** The lane of a queue by its name; a message that came from anywhere else stays where it is. */
export const deliveryQueueNamed = (queueName: string): DeliveryQueue =>
  env('DELIVERY_QUEUE_URL').endsWith(`/${queueName}`) ? 'delivery' : 'slowDelivery';

/** What a message names: one attempt of one delivery. */
export interface AttemptRef {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
  /** It was sent on its way by a queue that cannot wait long enough: whoever gets it before puts it off. */
  readonly notBefore?: string | undefined;
}

const queues: Readonly<Record<DeliveryQueue, QueueVariable>> = {
  delivery: 'DELIVERY_QUEUE_URL',
  slowDelivery: 'SLOW_DELIVERY_QUEUE_URL',
};

/** Has these attempts made now; tells the positions of those that a queue did not take. */
export const sendDeliveries = async (
  tenant: Tenant,
  wanted: readonly (AttemptRef & { readonly lane: DeliveryQueue; readonly delaySeconds?: number | undefined })[],
): Promise<ReadonlySet<number>> => {
  const sendOf = async (lane: DeliveryQueue): Promise<readonly number[]> => {
    const positions = wanted.flatMap((one, n) => (one.lane === lane ? [n] : []));
    if (positions.length === 0) return [];
    const messages = positions
      .flatMap((n) => wanted[n] ?? [])
      .map((one) => ({
        ...messageOf(tenant, one),
        ...(one.delaySeconds !== undefined && { delaySeconds: one.delaySeconds }),
      }));
    const refused = await sendMessages(queues[lane], messages);
    return positions.filter((_, n) => refused.has(n));
  };
  return new Set((await Promise.all([sendOf('delivery'), sendOf('slowDelivery')])).flat());
};

/**
 * Has an attempt made so many seconds from now: by the queue if it can wait that long, else by an entry of the Scheduler that
 * is named for the attempt. Where no entry is made, the queue waits as long as it can, and whoever gets the message puts it off.
 */
export const sendAttemptLater = async (tenant: Tenant, name: AttemptRef, delaySeconds: number, now: Date): Promise<void> => {
  if (delaySeconds <= delayMaxSeconds) return requeueLater(tenant, name, delaySeconds);
  const due = after(now, delaySeconds);
  if (!(await isScheduled(tenant, name, due))) await requeueLater(tenant, { ...name, notBefore: iso(due) }, delaySeconds);
};

/** Has an attempt made among the slow after so many seconds, or as many as a queue can wait. */
export const requeueLater = async (tenant: Tenant, name: AttemptRef, seconds: number): Promise<void> => {
  const delaySeconds = Math.min(seconds, delayMaxSeconds);
  const refused = await sendMessages(queues.slowDelivery, [{ ...messageOf(tenant, name), delaySeconds }]);
  if (refused.size > 0) throw new Error('the slow queue did not take an attempt');
};

/** The Scheduler takes some hundred entries a second. That it is busy or away is no reason to send to anybody again. */
const isScheduled = async (tenant: Tenant, name: AttemptRef, at: Date): Promise<boolean> => {
  const { deliveryId, attempt } = name;
  try {
    return await sendLater(`${deliveryId}-${attempt}`, at, messageOf(tenant, name).body);
  } catch (error) {
    log.error('the Scheduler does not take an attempt, the queue gets it', { error, deliveryId, attempt });
    return false;
  }
};

const messageOf = (tenant: Tenant, { webhookId, deliveryId, attempt, notBefore }: AttemptRef): QueueMessage => {
  const { organizationId } = tenant;
  const task = { kind: 'deliver', webhookId, deliveryId, attempt, notBefore } as const;
  return {
    body: JSON.stringify({ id: newId('task'), organizationId, task } satisfies TaskMessage),
    // As what leaves by the table's stream says it: all of one organization take turns as one.
    sender: `ORG#${organizationId}`,
  };
};
