/** Sends tasks to their queues at once, for work that no change of the table asks for. */
import { newId, type QueueMessage, type QueueVariable, sendMessages, type Tenant } from '../platform/index.ts';
import { type Queue, queueOf, type Task, type TaskMessage } from './tasks.ts';

export const queueVariables: Readonly<Record<Queue, QueueVariable>> = {
  task: 'TASK_QUEUE_URL',
  chore: 'CHORE_QUEUE_URL',
  match: 'MATCH_QUEUE_URL',
  delivery: 'DELIVERY_QUEUE_URL',
  slowDelivery: 'SLOW_DELIVERY_QUEUE_URL',
  schedule: 'SCHEDULE_QUEUE_URL',
  capture: 'CAPTURE_QUEUE_URL',
};

type Sender = Pick<Tenant, 'organizationId'>;

/** The name of a tenant to SQS fair queues: the partition key of its items, which is what the outbox sends under. */
export const senderOf = ({ organizationId }: Sender): string => `ORG#${organizationId}`;

export interface SendOptions {
  readonly delaySeconds?: number | undefined;
  /** Instead of the queue that tasks of this kind have. */
  readonly queue?: Queue | undefined;
  readonly now?: Date | undefined;
}

export const taskMessage = (tenant: Sender, task: Task, { delaySeconds, now }: SendOptions = {}): QueueMessage => {
  const message: TaskMessage = { id: newId('task', now), organizationId: tenant.organizationId, task };
  return { body: JSON.stringify(message), sender: senderOf(tenant), ...(delaySeconds !== undefined && { delaySeconds }) };
};

/** Sends one task. Throws unless the queue accepted it. */
export const sendTask = async (tenant: Sender, task: Task, options: SendOptions = {}): Promise<void> => {
  const queue = queueVariables[options.queue ?? queueOf(task)];
  const refused = await sendMessages(queue, [taskMessage(tenant, task, options)]);
  if (refused.size > 0) throw new Error(`the queue did not accept the task "${task.kind}"`);
};
