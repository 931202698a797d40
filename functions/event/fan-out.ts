/**
 * Forwards the outbox (tasks and events) from the table's stream to the queues. A slow record would delay all tenants behind it,
 * so each costs one message and nothing else. From the first record that a queue did not accept, the stream is retried.
 */
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { idPrefixes, isId } from '../../shared/contract/ids.ts';
import { queueVariableOf, queueVariables, type TaskMessage } from '../../shared/event/index.ts';
import { batchHandler, log, type QueueMessage, type QueueVariable, sendMessages } from '../../shared/platform/index.ts';

interface OutboxMessage extends QueueMessage {
  readonly queue: QueueVariable;
  readonly itemIdentifier: string;
}

export const handler = batchHandler<DynamoDBStreamEvent>(
  (record) => sequenceOf(record as DynamoDBRecord),
  async ({ Records }, finished) => {
    const outgoing = Records.map((record) => ({ record, tasks: messagesOf(record) }));
    // A record without a message is done at once.
    for (const { record, tasks } of outgoing) if (tasks.length === 0) finished.add(sequenceOf(record));
    const all = outgoing.flatMap(({ tasks }) => tasks);
    await Promise.all(
      Object.values(queueVariables).map(async (queue) => {
        for (const { itemIdentifier } of await send(queue, all)) finished.add(itemIdentifier);
      }),
    );
    const refused = all.filter(({ itemIdentifier }) => !finished.has(itemIdentifier)).length;
    if (refused > 0) log.warn('the queue did not accept every task', { refused, of: all.length });
  },
);

const sequenceOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.SequenceNumber ?? '';

const messagesOf = ({ dynamodb }: DynamoDBRecord): readonly OutboxMessage[] => {
  const [pk = '', sk = ''] = [dynamodb?.Keys?.pk?.S, dynamodb?.Keys?.sk?.S];
  const routed = sk.startsWith('EVENT#') ? matchTaskOf(pk, sk) : taskOf(dynamodb?.NewImage);
  // The partition key of a tenant's items is its message group in the fair queues.
  if (routed) return [{ ...routed, sender: pk || 'unknown', itemIdentifier: dynamodb?.SequenceNumber ?? '' }];
  // A retry would not help and would block the stream.
  log.error('outbox item dropped: no message or invalid event id', { organizationId: pk.replace(/^ORG#/, ''), pk, sk });
  return [];
};

type RoutedBody = Pick<OutboxMessage, 'queue' | 'body'>;

const taskOf = (image: NonNullable<DynamoDBRecord['dynamodb']>['NewImage']): RoutedBody | undefined => {
  const body = image?.message?.S;
  return body === undefined ? undefined : { body, queue: queueVariableOf(image?.queue?.S ?? '') };
};

/** Derived from the event's key, so that a repeated record gives the same task. */
const matchTaskOf = (pk: string, sk: string): RoutedBody | undefined => {
  const [organizationId, eventId] = [pk.replace(/^ORG#/, ''), sk.replace(/^EVENT#/, '')];
  if (!isId('organization', organizationId) || !isId('event', eventId)) return undefined;
  const id = eventId.replace(idPrefixes.event, idPrefixes.task);
  const message: TaskMessage = { id, organizationId, task: { kind: 'match-event', eventId } };
  return { body: JSON.stringify(message), queue: queueVariables.eventMatch };
};

/** Returns the messages that the queue accepted. */
const send = async (queue: QueueVariable, messages: readonly OutboxMessage[]): Promise<readonly OutboxMessage[]> => {
  const ours = messages.filter((one) => one.queue === queue);
  const refused = await sendMessages(queue, ours);
  return ours.filter((_, n) => !refused.has(n));
};
