/** Sends tasks directly to their queues, for work that does not follow from a transaction. */
import { newId, type QueueMessage, type QueueVariable, sendMessages, type Tenant } from '../platform/index.ts';
import { type Queue, queueOf } from './task-queues.ts';
import type { Task, TaskMessage } from './tasks.ts';

export const queueVariables: Readonly<Record<Queue, QueueVariable>> = {
  task: 'TASK_QUEUE_URL',
  bucketWork: 'BUCKET_WORK_QUEUE_URL',
  eventMatch: 'EVENT_MATCH_QUEUE_URL',
  delivery: 'DELIVERY_QUEUE_URL',
  deliveryRetry: 'DELIVERY_RETRY_QUEUE_URL',
  schedule: 'SCHEDULE_QUEUE_URL',
  capture: 'CAPTURE_QUEUE_URL',
  captureAudit: 'CAPTURE_AUDIT_QUEUE_URL',
  incident: 'INCIDENT_QUEUE_URL',
  alertDelivery: 'ALERT_DELIVERY_QUEUE_URL',
};

/** Queues as earlier versions named them: outbox items that wait in the stream still do. */
const renamedQueues: Readonly<Record<string, Queue>> = {
  chore: 'bucketWork',
  match: 'eventMatch',
  slowDelivery: 'deliveryRetry',
};

/** The variable of the queue that an outbox item names; a name that this version does not know means the task queue. */
export const queueVariableOf = (name: string): QueueVariable => {
  const queue = Object.hasOwn(renamedQueues, name) ? renamedQueues[name] : name;
  return queue !== undefined && Object.hasOwn(queueVariables, queue) ? queueVariables[queue as Queue] : queueVariables.task;
};

type Sender = Pick<Tenant, 'organizationId'>;

/** The message group of a tenant in SQS fair queues. The fan-out sends under the same name, the partition key of the tenant's items. */
export const senderOf = ({ organizationId }: Sender): string => `ORG#${organizationId}`;

interface SendOptions {
  readonly delaySeconds?: number | undefined;
  /** Overrides the queue of the task's kind. */
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
