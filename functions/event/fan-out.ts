/** Hands the tasks that leave the table to the queue each names. A record a queue did not take is given again, and only from there on. */

import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Queue } from '../../shared/event/index.ts';
import { log, type QueueMessage, type QueueVariable, sendTasks } from '../../shared/platform/index.ts';

interface Leaving extends QueueMessage {
  readonly queue: QueueVariable;
  readonly itemIdentifier: string;
}

const queues: Readonly<Record<Queue, QueueVariable>> = {
  task: 'TASK_QUEUE_URL',
  chore: 'CHORE_QUEUE_URL',
  delivery: 'DELIVERY_QUEUE_URL',
  slowDelivery: 'SLOW_DELIVERY_QUEUE_URL',
};

export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const leaving = Records.flatMap(leavingBy);
  const refused = (await Promise.all(Object.values(queues).map((queue) => send(queue, leaving)))).flat();
  if (refused.length > 0) log.warn('the queue did not take every task', { refused: refused.length, of: leaving.length });
  return { batchItemFailures: refused.map(({ itemIdentifier }) => ({ itemIdentifier })) };
};

const leavingBy = ({ dynamodb }: DynamoDBRecord): readonly Leaving[] => {
  const body = dynamodb?.NewImage?.message?.S;
  if (body === undefined) {
    // Nothing a retry could mend, and it would hold up everything behind it.
    log.error('a task without a message was dropped', { key: dynamodb?.Keys?.sk?.S });
    return [];
  }
  const named = dynamodb?.NewImage?.queue?.S ?? '';
  const queue = Object.hasOwn(queues, named) ? queues[named as Queue] : queues.task;
  return [{ queue, body, sender: dynamodb?.Keys?.pk?.S ?? 'nobody', itemIdentifier: dynamodb?.SequenceNumber ?? '' }];
};

/** Those that the queue did not take. */
const send = async (queue: Leaving['queue'], leaving: readonly Leaving[]): Promise<readonly Leaving[]> => {
  const ours = leaving.filter((one) => one.queue === queue);
  const refused = await sendTasks(queue, ours);
  return ours.filter((_, n) => refused.has(n));
};
