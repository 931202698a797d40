import { deepEqual, equal, ok } from 'node:assert/strict';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { beforeEach, test } from 'vitest';
import { handler } from '../../../functions/webhook/match.ts';
import { eventKey } from '../../../shared/event/index.ts';
import { after, newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { matchEvents } from '../../../shared/webhook/index.ts';
import { Fault } from '../../harness/aws/scripted-aws.ts';
import { createWebhookEnv } from '../../harness/env/webhook-env.ts';

const t = await createWebhookEnv();

beforeEach(t.resetEnv);

const failedOf = ({ batchItemFailures }: Awaited<ReturnType<typeof handler>>) =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort();
const others = unsafeTenant(newId('organization'), 'record');

test('match: every event creates one delivery and one message per subscribed webhook', async () => {
  const webhooks = [t.addWebhook(), t.addWebhook()];
  const events = [t.newEvent(), t.newEvent(), t.newEvent()];
  deepEqual(failedOf(await handler(t.written(...events.map((event) => ({ event }))))), []);
  for (const webhook of webhooks) {
    deepEqual(
      t
        .deliveriesOf(webhook)
        .map(({ event }) => event.id)
        .sort(),
      events.map(({ id }) => id).sort(),
    );
    for (const { event, status, attempts, attemptsMax } of t.deliveriesOf(webhook)) {
      deepEqual([status, attempts, attemptsMax], ['attempting', 0, 5]);
      deepEqual(
        event,
        events.find(({ id }) => id === event.id),
        'it carries the event as it was',
      );
    }
  }
  equal(t.sent.length, 6);
  equal(new Set(t.sent.map((one) => t.taskOf(one).deliveryId)).size, 6);
});

test('match: the events of an organization in a batch share one read of its webhooks', async () => {
  t.addWebhook();
  t.addWebhook({}, others);
  let reads = 0;
  t.table.onRead = () => {
    reads += 1;
    return undefined;
  };
  const all = Array.from({ length: 10 }, (_, n) => (n % 2 ? { event: t.newEvent() } : { event: t.newEvent(others), of: others }));
  await handler(t.written(...all));
  equal(t.sent.length, 10);
  // Per organization: events, webhooks and health records.
  equal(reads, 3 * 2);
});

test('match: exactly the events whose messages a queue refused are retried', async () => {
  const webhook = t.addWebhook();
  const events = [t.newEvent(), t.newEvent(), t.newEvent()];
  const batch = t.written(...events.map((event) => ({ event })));
  await handler(batch);
  const { id } = t.deliveriesOf(webhook).find(({ event }) => event.id === events[1]!.id)!;
  t.faults.refuses = (body) => body.includes(id);
  deepEqual(failedOf(await handler(batch)), [events[1]!.id]);
});

test('match: if the webhooks of one organization cannot be read, only its events fail', async () => {
  t.addWebhook();
  const theirs = t.addWebhook({}, others);
  const events = { ours: t.newEvent(), theirs: t.newEvent(others) };
  const { Query } = t.table.script;
  t.table.script.Query = (input) =>
    JSON.stringify(input).includes(others.organizationId) ? new Fault('AccessDeniedException') : Query!(input);
  const failed = failedOf(await handler(t.written({ event: events.ours }, { event: events.theirs, of: others })));
  t.table.script.Query = Query!;
  deepEqual(failed, [events.theirs.id]);
  deepEqual([t.sent.length, t.deliveriesOf(theirs, others).length], [1, 0]);
});

test('match: an event whose delivery cannot be written is retried alone', async () => {
  const webhook = t.addWebhook();
  const events = [t.newEvent(), t.newEvent()];
  const { PutItem } = t.table.script;
  t.table.script.PutItem = (input) =>
    JSON.stringify(input).includes(events[0]!.id) ? new Fault('AccessDeniedException') : PutItem!(input);
  const failed = failedOf(await handler(t.written(...events.map((event) => ({ event })))));
  t.table.script.PutItem = PutItem!;
  deepEqual(failed, [events[0]!.id]);
  deepEqual([t.deliveriesOf(webhook).length, t.sent.length], [1, 1]);
});

test('match: an unreadable event fails alone, and is delivered after it was repaired and redriven', async () => {
  const webhook = t.addWebhook();
  const theirs = t.addWebhook({}, others);
  const broken = [
    { ...t.newEvent(), type: 'coffee.made' as 'backup.started' },
    { ...t.newEvent(), data: 'text' },
  ];
  const batch = t.written(...[...broken, t.newEvent()].map((event) => ({ event })), { event: t.newEvent(others), of: others });
  const dead = batch.Records.filter(({ messageId }) => broken.some(({ id }) => id === messageId));
  // However often the queue redelivers them, the other events are sent once.
  for (const Records of [batch.Records, dead, dead])
    deepEqual(failedOf(await handler({ Records })), broken.map(({ id }) => id).sort());
  deepEqual([t.deliveriesOf(webhook).length, t.deliveriesOf(theirs, others).length, t.sent.length], [1, 1, 2]);
  for (const { id } of broken) t.written({ event: { ...t.newEvent(), id } });
  deepEqual(failedOf(await handler({ Records: dead })), []);
  equal(t.deliveriesOf(webhook).length, 3);
});

test('match: an invalid message fails alone', async () => {
  const webhook = t.addWebhook();
  const webhookId = webhook.id;
  const message = (task: object, of = t.tenant.organizationId) => JSON.stringify({ id: newId('task'), organizationId: of, task });
  const odd = [
    'poison',
    '{}',
    message({ kind: 'notify-webhook-disabled', webhookId }),
    message({ kind: 'make-coffee' }),
    message({ kind: 'match-event', eventId: `../${newId('event')}` }),
    message({ kind: 'match-event', eventId: newId('event') }, 'org_x'),
  ].map((body, n) => ({ messageId: `m${n}`, body }) as SQSRecord);
  const { Records } = t.written({ event: t.newEvent() });
  deepEqual(
    failedOf(await handler({ Records: [...odd, ...Records] } as SQSEvent)),
    odd.map(({ messageId }) => messageId),
  );
  deepEqual([t.deliveriesOf(webhook).length, t.sent.length], [1, 1]);
});

test('match: a deleted event is skipped without an error', async () => {
  const webhook = t.addWebhook();
  const event = t.newEvent();
  const batch = t.written({ event }, { event: t.newEvent() });
  const { pk, sk } = eventKey(t.tenant, event.id);
  t.table.items.delete(`${pk}\n${sk}`);
  deepEqual(failedOf(await handler(batch)), []);
  equal(t.deliveriesOf(webhook).length, 1);
});

test('match: a duplicate event in a batch creates one delivery', async () => {
  const webhook = t.addWebhook();
  const event = t.newEvent();
  deepEqual(failedOf(await handler(t.written({ event }, { event }))), []);
  equal(t.deliveriesOf(webhook).length, 1);
});

test('match: events not matched before the deadline are retried completely, the others are not', async () => {
  const webhooks = Array.from({ length: 100 }, () => t.addWebhook({ url: 'https://localhost:1/' }));
  const events = Array.from({ length: 4 }, () => t.newEvent());
  t.written(...events.map((event) => ({ event })));
  const ids = events.map(({ id }) => id);
  const until = after(t.clock.now(), 40);
  const { PutItem } = t.table.script;
  // The deliveries of one event take 20 s.
  t.table.script.PutItem = (input) => {
    t.pass(0.2);
    return PutItem!(input);
  };
  deepEqual([...(await matchEvents(t.tenant, { eventIds: ids, until, clock: t.clock }))], [2, 3]);
  t.table.script.PutItem = PutItem!;
  equal(t.sent.length, 200);
  deepEqual([...(await matchEvents(t.tenant, { eventIds: ids.slice(2), until: after(t.clock.now(), 40), clock: t.clock }))], []);
  for (const webhook of webhooks) equal(t.deliveriesOf(webhook).length, 4);
});

test('match: at most 100 deliveries are written concurrently, however many webhooks subscribe', async () => {
  for (const _ of Array(250)) t.addWebhook();
  const { PutItem } = t.table.script;
  let [atOnce, most] = [0, 0];
  t.table.script.PutItem = (input) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    setImmediate(() => {
      atOnce -= 1;
    });
    return PutItem!(input);
  };
  const failed = failedOf(await handler(t.written({ event: t.newEvent() })));
  t.table.script.PutItem = PutItem!;
  deepEqual([failed, t.sent.length], [[], 250]);
  ok(most <= 100, `${most} at once`);
});

test('match: an empty batch and an organization without webhooks send no messages', async () => {
  deepEqual(await handler({ Records: [] }), { batchItemFailures: [] });
  deepEqual(await handler(t.written({ event: t.newEvent() })), { batchItemFailures: [] });
  deepEqual([t.sent, t.table.find(`DELIVERY#${t.tenant.organizationId}`)], [[], []]);
});
