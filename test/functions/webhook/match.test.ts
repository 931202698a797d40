import { deepEqual, equal, ok } from 'node:assert/strict';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { beforeEach, test } from 'vitest';
import { handler } from '../../../functions/webhook/match.ts';
import { eventKey } from '../../../shared/event/index.ts';
import { after, newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { matchEvents } from '../../../shared/webhook/index.ts';
import { Fault } from '../../harness/aws/scripted-aws.ts';
import {
  addWebhook,
  clock,
  deliveriesOf,
  faults,
  newEvent,
  pass,
  resetEnv,
  sent,
  table,
  taskOf,
  tenant,
  written,
} from '../../harness/env/webhook-env.ts';

beforeEach(resetEnv);

const failedOf = ({ batchItemFailures }: Awaited<ReturnType<typeof handler>>) =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort();
const others = unsafeTenant(newId('organization'), 'record');

test('every event makes one delivery and one message for each webhook that wants it', async () => {
  const webhooks = [addWebhook(), addWebhook()];
  const events = [newEvent(), newEvent(), newEvent()];
  deepEqual(failedOf(await handler(written(...events.map((event) => ({ event }))))), []);
  for (const webhook of webhooks) {
    deepEqual(
      deliveriesOf(webhook)
        .map(({ event }) => event.id)
        .sort(),
      events.map(({ id }) => id).sort(),
    );
    for (const { event, status, attempts, attemptsMax } of deliveriesOf(webhook)) {
      deepEqual([status, attempts, attemptsMax], ['attempting', 0, 5]);
      deepEqual(
        event,
        events.find(({ id }) => id === event.id),
        'it carries the event as it was',
      );
    }
  }
  equal(sent.length, 6);
  equal(new Set(sent.map((one) => taskOf(one).deliveryId)).size, 6);
});

test('the events of an organization share one read of its webhooks', async () => {
  addWebhook();
  addWebhook({}, others);
  let reads = 0;
  table.onRead = () => {
    reads += 1;
    return undefined;
  };
  const all = Array.from({ length: 10 }, (_, n) => (n % 2 ? { event: newEvent() } : { event: newEvent(others), of: others }));
  await handler(written(...all));
  equal(sent.length, 10);
  // Its events, its webhooks, and what is known of their endpoints.
  equal(reads, 3 * 2);
});

test('match: exactly the events whose messages a queue refused are retried', async () => {
  const webhook = addWebhook();
  const events = [newEvent(), newEvent(), newEvent()];
  const batch = written(...events.map((event) => ({ event })));
  await handler(batch);
  const { id } = deliveriesOf(webhook).find(({ event }) => event.id === events[1]!.id)!;
  faults.refuses = (body) => body.includes(id);
  deepEqual(failedOf(await handler(batch)), [events[1]!.id]);
});

test('an organization whose webhooks cannot be read fails alone', async () => {
  addWebhook();
  const theirs = addWebhook({}, others);
  const events = { ours: newEvent(), theirs: newEvent(others) };
  const { Query } = table.script;
  table.script.Query = (input) =>
    JSON.stringify(input).includes(others.organizationId) ? new Fault('AccessDeniedException') : Query!(input);
  const failed = failedOf(await handler(written({ event: events.ours }, { event: events.theirs, of: others })));
  table.script.Query = Query!;
  deepEqual(failed, [events.theirs.id]);
  deepEqual([sent.length, deliveriesOf(theirs, others).length], [1, 0]);
});

test('a delivery that cannot be written gives its event again, and the others of the batch are made', async () => {
  const webhook = addWebhook();
  const events = [newEvent(), newEvent()];
  const { PutItem } = table.script;
  table.script.PutItem = (input) =>
    JSON.stringify(input).includes(events[0]!.id) ? new Fault('AccessDeniedException') : PutItem!(input);
  const failed = failedOf(await handler(written(...events.map((event) => ({ event })))));
  table.script.PutItem = PutItem!;
  deepEqual(failed, [events[0]!.id]);
  deepEqual([deliveriesOf(webhook).length, sent.length], [1, 1]);
});

test('an event that cannot be read is put aside alone, and told of once it is repaired and given again', async () => {
  const webhook = addWebhook();
  const theirs = addWebhook({}, others);
  const broken = [
    { ...newEvent(), type: 'coffee.made' as 'backup.started' },
    { ...newEvent(), data: 'text' },
  ];
  const batch = written(...[...broken, newEvent()].map((event) => ({ event })), { event: newEvent(others), of: others });
  const dead = batch.Records.filter(({ messageId }) => broken.some(({ id }) => id === messageId));
  // As often as the queue gives it: the others are told once.
  for (const Records of [batch.Records, dead, dead])
    deepEqual(failedOf(await handler({ Records })), broken.map(({ id }) => id).sort());
  deepEqual([deliveriesOf(webhook).length, deliveriesOf(theirs, others).length, sent.length], [1, 1, 2]);
  for (const { id } of broken) written({ event: { ...newEvent(), id } });
  deepEqual(failedOf(await handler({ Records: dead })), []);
  equal(deliveriesOf(webhook).length, 3);
});

test('a message that says nothing is put aside alone', async () => {
  const webhook = addWebhook();
  const webhookId = webhook.id;
  const message = (task: object, of = tenant.organizationId) => JSON.stringify({ id: newId('task'), organizationId: of, task });
  const odd = [
    'poison',
    '{}',
    message({ kind: 'notify-webhook-disabled', webhookId }),
    message({ kind: 'make-coffee' }),
    message({ kind: 'match-event', eventId: `../${newId('event')}` }),
    message({ kind: 'match-event', eventId: newId('event') }, 'org_x'),
  ].map((body, n) => ({ messageId: `m${n}`, body }) as SQSRecord);
  const { Records } = written({ event: newEvent() });
  deepEqual(
    failedOf(await handler({ Records: [...odd, ...Records] } as SQSEvent)),
    odd.map(({ messageId }) => messageId),
  );
  deepEqual([deliveriesOf(webhook).length, sent.length], [1, 1]);
});

test('an event that went with its organization is told to nobody, and fails nothing', async () => {
  const webhook = addWebhook();
  const event = newEvent();
  const batch = written({ event }, { event: newEvent() });
  const { pk, sk } = eventKey(tenant, event.id);
  table.items.delete(`${pk}\n${sk}`);
  deepEqual(failedOf(await handler(batch)), []);
  equal(deliveriesOf(webhook).length, 1);
});

test('an event that comes twice in a batch makes one delivery', async () => {
  const webhook = addWebhook();
  const event = newEvent();
  deepEqual(failedOf(await handler(written({ event }, { event }))), []);
  equal(deliveriesOf(webhook).length, 1);
});

test('what does not fit the time comes again: the events that did are done, and the others lose nothing', async () => {
  const webhooks = Array.from({ length: 100 }, () => addWebhook({ url: 'https://localhost:1/' }));
  const events = Array.from({ length: 4 }, () => newEvent());
  written(...events.map((event) => ({ event })));
  const ids = events.map(({ id }) => id);
  const until = after(clock.now(), 40);
  const { PutItem } = table.script;
  // As slow as 20 s for the deliveries of one event.
  table.script.PutItem = (input) => {
    pass(0.2);
    return PutItem!(input);
  };
  deepEqual([...(await matchEvents(tenant, ids, until, clock))], [2, 3]);
  table.script.PutItem = PutItem!;
  equal(sent.length, 200);
  deepEqual([...(await matchEvents(tenant, ids.slice(2), after(clock.now(), 40), clock))], []);
  for (const webhook of webhooks) equal(deliveriesOf(webhook).length, 4);
});

test('however many webhooks hear of an event, at most a hundred deliveries are put at once', async () => {
  for (const _ of Array(250)) addWebhook();
  const { PutItem } = table.script;
  let [atOnce, most] = [0, 0];
  table.script.PutItem = (input) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    setImmediate(() => {
      atOnce -= 1;
    });
    return PutItem!(input);
  };
  const failed = failedOf(await handler(written({ event: newEvent() })));
  table.script.PutItem = PutItem!;
  deepEqual([failed, sent.length], [[], 250]);
  ok(most <= 100, `${most} at once`);
});

test('no records and no webhooks are no messages', async () => {
  deepEqual(await handler({ Records: [] }), { batchItemFailures: [] });
  deepEqual(await handler(written({ event: newEvent() })), { batchItemFailures: [] });
  deepEqual([sent, table.find(`DELIVERY#${tenant.organizationId}`)], [[], []]);
});
