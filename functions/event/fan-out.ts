/**
 * Forwards the outbox (tasks and events) from the table's stream to the queues. A slow record would delay all tenants behind it,
 * so each costs one message, an event that concerns incidents two, and nothing else. From the first record that a queue did not accept, the stream is retried.
 */
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { incidentTriggers } from '../../shared/contract/events/incident-triggers.ts';
import { idPrefixes, isId } from '../../shared/contract/ids.ts';
import { queueVariableOf, queueVariables, type TaskMessage } from '../../shared/event/index.ts';
import { batchHandler, log, type QueueMessage, type QueueVariable, sendMessages } from '../../shared/platform/index.ts';

interface OutboxMessage extends QueueMessage {
  readonly queue: QueueVariable;
}

export const handler = batchHandler<DynamoDBStreamEvent>(
  (record) => sequenceOf(record as DynamoDBRecord),
  async ({ Records }, finished) => {
    const outgoing = Records.map((record) => ({ record, messages: messagesOf(record) }));
    const all = outgoing.flatMap(({ messages }) => messages);
    const accepted = new Set((await Promise.all(Object.values(queueVariables).map((queue) => send(queue, all)))).flat());
    // A record without a message is done at once, others when every queue has accepted theirs.
    for (const { record, messages } of outgoing)
      if (messages.every((message) => accepted.has(message))) finished.add(sequenceOf(record));
    const refused = all.length - accepted.size;
    if (refused > 0) log.warn('the queue did not accept every task', { refused, of: all.length });
  },
);

const sequenceOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.SequenceNumber ?? '';

const messagesOf = ({ dynamodb }: DynamoDBRecord): readonly OutboxMessage[] => {
  const [pk = '', sk = ''] = [dynamodb?.Keys?.pk?.S, dynamodb?.Keys?.sk?.S];
  const routed = sk.startsWith('EVENT#') ? eventTasksOf(pk, sk, dynamodb?.NewImage?.type?.S) : taskOf(dynamodb?.NewImage);
  // The partition key of a tenant's items is its message group in the fair queues.
  if (routed.length > 0) return routed.map((message) => ({ ...message, sender: pk || 'unknown' }));
  // A retry would not help and would block the stream.
  log.error('outbox item dropped: no message or invalid event id', { organizationId: pk.replace(/^ORG#/, ''), pk, sk });
  return [];
};

type RoutedBody = Pick<OutboxMessage, 'queue' | 'body'>;

const taskOf = (image: NonNullable<DynamoDBRecord['dynamodb']>['NewImage']): readonly RoutedBody[] => {
  const body = image?.message?.S;
  return body === undefined ? [] : [{ body, queue: queueVariableOf(image?.queue?.S ?? '') }];
};

/**
 * Webhooks are matched with every event; only some open or close incidents. The tasks are derived from the event's key, so that a
 * repeated record gives the same ones.
 */
const eventTasksOf = (pk: string, sk: string, type: string | undefined): readonly RoutedBody[] => {
  const [organizationId, eventId] = [pk.replace(/^ORG#/, ''), sk.replace(/^EVENT#/, '')];
  if (!isId('organization', organizationId) || !isId('event', eventId)) return [];
  const id = eventId.replace(idPrefixes.event, idPrefixes.task);
  const bodyOf = (task: TaskMessage['task']): string => JSON.stringify({ id, organizationId, task } satisfies TaskMessage);
  return [
    { body: bodyOf({ kind: 'match-event', eventId }), queue: queueVariables.eventMatch },
    ...(incidentTriggers.some((name) => name === type)
      ? [{ body: bodyOf({ kind: 'apply-event', eventId }), queue: queueVariables.incident }]
      : []),
  ];
};

/** Returns the messages that the queue accepted. */
const send = async (queue: QueueVariable, messages: readonly OutboxMessage[]): Promise<readonly OutboxMessage[]> => {
  const ours = messages.filter((one) => one.queue === queue);
  const refused = await sendMessages(queue, ours);
  return ours.filter((_, n) => !refused.has(n));
};
