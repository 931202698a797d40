/**
 * Hands the tasks and events that leave the table to the queue each is for. Everything behind a record waits for it, whoever's it
 * is: none costs more than its message. A record a queue did not take is given again, and only from there on.
 */
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { idPrefixes, isId } from '../../shared/contract/ids.ts';
import type { Queue, TaskMessage } from '../../shared/event/index.ts';
import { batchHandler, log, type QueueMessage, type QueueVariable, sendMessages } from '../../shared/platform/index.ts';

interface OutboxMessage extends QueueMessage {
  readonly queue: QueueVariable;
  readonly itemIdentifier: string;
}

const queues: Readonly<Record<Queue, QueueVariable>> = {
  task: 'TASK_QUEUE_URL',
  chore: 'CHORE_QUEUE_URL',
  match: 'MATCH_QUEUE_URL',
  delivery: 'DELIVERY_QUEUE_URL',
  slowDelivery: 'SLOW_DELIVERY_QUEUE_URL',
  schedule: 'SCHEDULE_QUEUE_URL',
  capture: 'CAPTURE_QUEUE_URL',
};

export const handler = batchHandler<DynamoDBStreamEvent>(
  (record) => sequenceOf(record as DynamoDBRecord),
  async ({ Records }, finished) => {
    const leaving = Records.map((record) => ({ record, tasks: messagesOf(record) }));
    // A record that holds no task has nothing to wait for.
    for (const { record, tasks } of leaving) if (tasks.length === 0) finished.add(sequenceOf(record));
    const all = leaving.flatMap(({ tasks }) => tasks);
    await Promise.all(
      Object.values(queues).map(async (queue) => {
        for (const { itemIdentifier } of await send(queue, all)) finished.add(itemIdentifier);
      }),
    );
    const refused = all.filter(({ itemIdentifier }) => !finished.has(itemIdentifier)).length;
    if (refused > 0) log.warn('the queue did not take every task', { refused, of: all.length });
  },
);

const sequenceOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.SequenceNumber ?? '';

const messagesOf = ({ dynamodb }: DynamoDBRecord): readonly OutboxMessage[] => {
  const [pk = '', sk = ''] = [dynamodb?.Keys?.pk?.S, dynamodb?.Keys?.sk?.S];
  const told = sk.startsWith('EVENT#') ? matchTaskOf(pk, sk) : taskOf(dynamodb?.NewImage);
  if (told) return [{ ...told, sender: pk || 'nobody', itemIdentifier: dynamodb?.SequenceNumber ?? '' }];
  // Nothing a retry could mend, and it would hold up everything behind it.
  log.error('a task without a message, or an event without an id, was dropped', {
    organizationId: pk.replace(/^ORG#/, ''),
    pk,
    sk,
  });
  return [];
};

type RoutedBody = Pick<OutboxMessage, 'queue' | 'body'>;

/** A task's item names the queue and holds its message. */
const taskOf = (image: NonNullable<DynamoDBRecord['dynamodb']>['NewImage']): RoutedBody | undefined => {
  const [body, named = ''] = [image?.message?.S, image?.queue?.S];
  if (body === undefined) return undefined;
  return { body, queue: Object.hasOwn(queues, named) ? queues[named as Queue] : queues.task };
};

/** An event's key says all that its task does. Given twice, it is the same task. */
const matchTaskOf = (pk: string, sk: string): RoutedBody | undefined => {
  const [organizationId, eventId] = [pk.replace(/^ORG#/, ''), sk.replace(/^EVENT#/, '')];
  if (!isId('organization', organizationId) || !isId('event', eventId)) return undefined;
  const id = eventId.replace(idPrefixes.event, idPrefixes.task);
  const message: TaskMessage = { id, organizationId, task: { kind: 'match', eventId } };
  return { body: JSON.stringify(message), queue: queues.match };
};

/** Those that the queue accepted. */
const send = async (queue: OutboxMessage['queue'], leaving: readonly OutboxMessage[]): Promise<readonly OutboxMessage[]> => {
  const ours = leaving.filter((one) => one.queue === queue);
  const refused = await sendMessages(queue, ours);
  return ours.filter((_, n) => !refused.has(n));
};
