import { deepEqual, equal, fail, rejects } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeEach, test } from 'vitest';
import { organizationEvents } from '../../../shared/contract/event-data/organization-events.ts';
import { emit, readTask } from '../../../shared/event/index.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { Fault, scriptAws } from '../../harness/aws/scripted-aws.ts';

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
}
let refuses: (message: string) => boolean;
let breaks = false;
const aws = await scriptAws({
  SendMessageBatch: ({ Entries }) => {
    if (breaks) return new Fault('QueueDoesNotExist');
    const entries = Entries as Entry[];
    const md5 = (text: string) => createHash('md5').update(text).digest('hex');
    return {
      Successful: entries
        .filter(({ MessageBody }) => !refuses(MessageBody))
        .map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: md5(MessageBody) })),
      Failed: entries
        .filter(({ MessageBody }) => refuses(MessageBody))
        .map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false })),
    };
  },
});
afterAll(() => aws.stop());
// The SDK sends to the host of the queue URL.
process.env.TASK_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/000000000000/tasks`;
process.env.BUCKET_WORK_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/000000000000/bucket-work`;
process.env.EVENT_MATCH_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/000000000000/event-match`;
process.env.DELIVERY_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/000000000000/deliveries`;
process.env.DELIVERY_RETRY_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/000000000000/delivery-retries`;
const { handler } = await import('../../../functions/event/fan-out.ts');

beforeEach(() => {
  refuses = () => false;
  breaks = false;
  aws.calls.length = 0;
});

const eventOf = (...messages: (string | undefined)[]) =>
  ({
    Records: messages.map((message, n) => ({
      eventName: 'INSERT',
      dynamodb: {
        SequenceNumber: `seq-${n}`,
        Keys: { pk: { S: 'ORG#x' }, sk: { S: `TASK#${n}` } },
        NewImage: message === undefined ? {} : { message: { S: message } },
      },
    })),
  }) as DynamoDBStreamEvent;
const sent = () =>
  aws.sent('SendMessageBatch').flatMap(({ Entries }) => (Entries as Entry[]).map(({ MessageBody }) => MessageBody));

test('fan-out: every message is forwarded unchanged, ten per call', async () => {
  const messages = Array.from({ length: 23 }, (_, n) => `task ${n}`);
  deepEqual(await handler(eventOf(...messages)), { batchItemFailures: [] });
  deepEqual(sent().sort(), [...messages].sort());
  deepEqual(
    aws
      .sent('SendMessageBatch')
      .map(({ Entries }) => (Entries as Entry[]).length)
      .sort(),
    [10, 10, 3],
  );
});

test('fan-out: exactly the records that the queue refused are retried', async () => {
  refuses = (message) => ['task 3', 'task 12'].includes(message);
  deepEqual(await handler(eventOf(...Array.from({ length: 13 }, (_, n) => `task ${n}`))), {
    batchItemFailures: [{ itemIdentifier: 'seq-3' }, { itemIdentifier: 'seq-12' }],
  });
});

test('fan-out: a task goes to the queue that its item names, in either spelling, and is retried if the queue refuses it', async () => {
  const event = eventOf('mail', 'erase', 'purge', 'rewrap', 'retry', 'first', 'retry by hand', 'unknown queue');
  const named = [undefined, 'bucketWork', 'task', 'chore', 'deliveryRetry', 'delivery', 'slowDelivery', 'toString'];
  for (const [n, queue] of named.entries()) if (queue) event.Records[n]!.dynamodb!.NewImage!.queue = { S: queue };
  refuses = (message) => ['rewrap', 'retry by hand'].includes(message);
  deepEqual(await handler(event), { batchItemFailures: [{ itemIdentifier: 'seq-3' }, { itemIdentifier: 'seq-6' }] });
  deepEqual(
    aws
      .sent('SendMessageBatch')
      .map(({ QueueUrl, Entries }) => [
        String(QueueUrl).split('/').at(-1),
        ...(Entries as Entry[]).map(({ MessageBody }) => MessageBody),
      ])
      .sort(),
    [
      ['bucket-work', 'erase', 'rewrap'],
      ['deliveries', 'first'],
      ['delivery-retries', 'retry', 'retry by hand'],
      ['tasks', 'mail', 'purge', 'unknown queue'],
    ],
  );
});

test('fan-out: the message group is the tenant, so that a burst of one organization delays no other', async () => {
  await handler(eventOf('one'));
  const [{ Entries } = {}] = aws.sent('SendMessageBatch');
  deepEqual(
    (Entries as { MessageGroupId: string }[]).map(({ MessageGroupId }) => MessageGroupId),
    ['ORG#x'],
  );
});

test('fan-out: an outbox item of an earlier version reaches its queue unchanged, and is read under the new kind', async () => {
  const [id, webhookId, projectId] = [newId('task'), newId('webhook'), newId('project')];
  const earlier = [
    ['task', { kind: 'tell-disabled', webhookId }, 'notify-webhook-disabled'],
    ['chore', { kind: 'forget-captures', projectId }, 'expire-captures'],
    ['chore', { kind: 'settle-move', projectId, moveId: 'mov_x' }, 'finish-move'],
  ] as const;
  const bodies = earlier.map(([, task]) => JSON.stringify({ id, organizationId, task }));
  const { Records } = eventOf(...bodies);
  for (const [n, [queue]] of earlier.entries()) Object.assign(Records[n]?.dynamodb?.NewImage ?? fail(), { queue: { S: queue } });
  deepEqual(await handler({ Records }), { batchItemFailures: [] });
  deepEqual(sent().sort(), [...bodies].sort());
  deepEqual(
    bodies.map((body) => readTask(body)?.task.kind),
    earlier.map(([, , kind]) => kind),
  );
  const queueOf = (body: string) =>
    aws.sent('SendMessageBatch').find(({ Entries }) => (Entries as Entry[]).some(({ MessageBody }) => MessageBody === body));
  deepEqual(
    bodies.map((body) => String(queueOf(body)?.QueueUrl).split('/').at(-1)),
    ['tasks', 'bucket-work', 'bucket-work'],
  );
});

/** A stream record of an event, with its key only. */
const recordOf = ({ pk, sk }: { readonly pk: string; readonly sk: string }, n = 0) => ({
  eventName: 'INSERT' as const,
  dynamodb: { SequenceNumber: `seq-${n}`, Keys: { pk: { S: pk }, sk: { S: sk } } },
});
const organizationId = newId('organization');
const newEvent = () => {
  const tenant = unsafeTenant(organizationId, 'record');
  const now = new Date();
  const organization = { id: organizationId, name: 'One', slug: 'one', ownerId: newId('user'), createdAt: now.toISOString() };
  const write = emit(tenant, { schemas: organizationEvents, name: 'organization.created', data: { organization }, now });
  return 'put' in write ? write.put : fail();
};

test('fan-out: an event becomes a match task of its organization, the same one if the record is repeated', async () => {
  const event = newEvent();
  const batch = { Records: [recordOf(event), ...eventOf('mail').Records] } as DynamoDBStreamEvent;
  for (const _ of Array(2)) deepEqual(await handler(batch), { batchItemFailures: [] });
  const [first, second] = aws.sent('SendMessageBatch').filter(({ QueueUrl }) => String(QueueUrl).endsWith('/event-match'));
  deepEqual(first, second);
  const [{ MessageBody, MessageGroupId } = fail(), ...more] = first!.Entries as (Entry & { MessageGroupId: string })[];
  deepEqual([MessageGroupId, more], [`ORG#${organizationId}`, []]);
  const { organizationId: whose, task } = readTask(MessageBody) ?? fail();
  deepEqual([whose, task], [organizationId, { kind: 'match-event', eventId: event.id }]);
});

test('fan-out: exactly the events that the queue refused are retried', async () => {
  const events = Array.from({ length: 25 }, newEvent);
  refuses = (message) => [3, 17].some((n) => message.includes(String(events[n]?.id)));
  deepEqual(await handler({ Records: events.map(recordOf) } as DynamoDBStreamEvent), {
    batchItemFailures: [{ itemIdentifier: 'seq-3' }, { itemIdentifier: 'seq-17' }],
  });
});

test('fan-out: an event with a malformed key is dropped and does not block the stream', async () => {
  const event = newEvent();
  const odd = [
    { pk: 'ORG#org_x', sk: event.sk },
    { pk: event.pk, sk: 'EVENT#' },
    { pk: event.pk, sk: 'EVENT#evt_x' },
    { pk: `USER#${organizationId}`, sk: event.sk },
  ];
  const Records = [...odd, event].map(recordOf);
  deepEqual(await handler({ Records } as DynamoDBStreamEvent), { batchItemFailures: [] });
  deepEqual(
    sent().map((body) => readTask(body)?.task),
    [{ kind: 'match-event', eventId: event.id }],
  );
});

test('fan-out: a record without a message is dropped and does not block the stream', async () => {
  deepEqual(await handler(eventOf('one', undefined, 'two')), { batchItemFailures: [] });
  deepEqual(sent(), ['one', 'two']);
});

test('fan-out: a missing queue fails the batch, so that the stream retries it', async () => {
  breaks = true;
  await rejects(handler(eventOf('one')));
});

test('fan-out: an empty batch makes no call', async () => {
  deepEqual(await handler(eventOf()), { batchItemFailures: [] });
  equal(aws.calls.length, 0);
});
