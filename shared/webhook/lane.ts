/** Which queue an attempt waits in, and how it gets there. */
import type { TaskMessage } from '../event/index.ts';
import {
  after,
  delayMaxSeconds,
  env,
  newId,
  type QueueMessage,
  type QueueVariable,
  sendLater,
  sendTasks,
  type Tenant,
} from '../platform/index.ts';
import type { HealthRecord } from './record.ts';

export type Lane = 'delivery' | 'slowDelivery';

/** Endpoints that failed or were slow the last time wait among themselves: a dead one costs the quick ones one attempt. */
export const laneOf = (health: Pick<HealthRecord, 'isSlow'> | undefined): Lane => (health?.isSlow ? 'slowDelivery' : 'delivery');

/** The lane of a queue by its name; a message that came from anywhere else stays where it is. */
export const laneOfQueue = (queueName: string): Lane =>
  env('DELIVERY_QUEUE_URL').endsWith(`/${queueName}`) ? 'delivery' : 'slowDelivery';

/** What a message names: one attempt of one delivery. */
export interface AttemptName {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
}

const queues: Readonly<Record<Lane, QueueVariable>> = {
  delivery: 'DELIVERY_QUEUE_URL',
  slowDelivery: 'SLOW_DELIVERY_QUEUE_URL',
};

/** Has these attempts made now; tells the positions of those that a queue did not take. */
export const sendDeliveries = async (
  tenant: Tenant,
  wanted: readonly (AttemptName & { readonly lane: Lane })[],
): Promise<ReadonlySet<number>> => {
  const sendOf = async (lane: Lane): Promise<readonly number[]> => {
    const positions = wanted.flatMap((one, n) => (one.lane === lane ? [n] : []));
    if (positions.length === 0) return [];
    const messages = positions.flatMap((n) => wanted[n] ?? []).map((one) => messageOf(tenant, one));
    const refused = await sendTasks(queues[lane], messages);
    return positions.filter((_, n) => refused.has(n));
  };
  return new Set((await Promise.all([sendOf('delivery'), sendOf('slowDelivery')])).flat());
};

/**
 * Has an attempt made so many seconds from now: by the queue if it can wait that long, else by an entry of the Scheduler that
 * is named for the attempt, so that asking again changes nothing. It waits among the slow, for the one before has failed.
 */
export const sendAttemptLater = async (tenant: Tenant, name: AttemptName, delaySeconds: number, now: Date): Promise<void> => {
  const message = messageOf(tenant, name);
  if (delaySeconds > delayMaxSeconds)
    return sendLater(`${name.deliveryId}-${name.attempt}`, after(now, delaySeconds), message.body);
  const refused = await sendTasks(queues.slowDelivery, [{ ...message, delaySeconds }]);
  if (refused.size > 0) throw new Error('the queue did not take the next attempt');
};

const messageOf = (tenant: Tenant, { webhookId, deliveryId, attempt }: AttemptName): QueueMessage => {
  const { organizationId } = tenant;
  const task = { kind: 'deliver', webhookId, deliveryId, attempt } as const;
  return {
    body: JSON.stringify({ id: newId('task'), organizationId, task } satisfies TaskMessage),
    // As what leaves by the table's stream says it: all of one organization take turns as one.
    sender: `ORG#${organizationId}`,
  };
};
