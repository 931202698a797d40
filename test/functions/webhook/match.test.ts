import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { handler } from '../../../functions/webhook/match.ts';
import { newId, proveTenant } from '../../../shared/platform/index.ts';
import {
  addWebhook,
  deliveriesOf,
  faults,
  newEvent,
  newWorld,
  sent,
  streamOf,
  table,
  taskOf,
  tenant,
} from '../../shared/webhook/world.ts';
import { Fault } from '../../support/scripted-aws.ts';

beforeEach(newWorld);

const failedOf = ({ batchItemFailures }: Awaited<ReturnType<typeof handler>>) =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort();
const others = proveTenant(newId('organization'), 'record');

test('every event makes one delivery and one message for each webhook that wants it', async () => {
  const webhooks = [addWebhook(), addWebhook()];
  const events = [newEvent(), newEvent(), newEvent()];
  deepEqual(failedOf(await handler(streamOf(...events.map((event) => ({ event }))))), []);
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
  const written = Array.from({ length: 20 }, (_, n) => (n % 2 ? { event: newEvent() } : { event: newEvent(others), of: others }));
  await handler(streamOf(...written));
  equal(sent.length, 20);
  // Its webhooks, and what is known of their endpoints.
  equal(reads, 2 * 2);
});

test('exactly the records whose messages a queue did not take are given again', async () => {
  const webhook = addWebhook();
  const events = [newEvent(), newEvent(), newEvent()];
  const batch = streamOf(...events.map((event) => ({ event })));
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
  const failed = failedOf(await handler(streamOf({ event: events.ours }, { event: events.theirs, of: others })));
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
  const failed = failedOf(await handler(streamOf(...events.map((event) => ({ event })))));
  table.script.PutItem = PutItem!;
  deepEqual(failed, [events[0]!.id]);
  deepEqual([deliveriesOf(webhook).length, sent.length], [1, 1]);
});

test('what can never be read is dropped and holds up nothing', async () => {
  const webhook = addWebhook();
  const batch = streamOf(
    { event: { ...newEvent(), id: 'evt_x' } },
    { event: { ...newEvent(), type: 'coffee.made' as 'backup.started' } },
    { event: { ...newEvent(), data: 'text' } },
    { event: newEvent() },
    { event: newEvent(), of: proveTenant('org_x', 'record') },
  );
  const odd = [{ eventName: 'INSERT' }, { eventName: 'INSERT', dynamodb: { SequenceNumber: 'n', NewImage: {} } }];
  deepEqual(failedOf(await handler({ Records: [...odd, ...batch.Records] } as DynamoDBStreamEvent)), []);
  deepEqual([deliveriesOf(webhook).length, sent.length], [1, 1]);
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
  const failed = failedOf(await handler(streamOf({ event: newEvent() })));
  table.script.PutItem = PutItem!;
  deepEqual([failed, sent.length], [[], 250]);
  ok(most <= 100, `${most} at once`);
});

test('no records and no webhooks are no messages', async () => {
  deepEqual(await handler({ Records: [] }), { batchItemFailures: [] });
  deepEqual(await handler(streamOf({ event: newEvent() })), { batchItemFailures: [] });
  deepEqual([sent, table.find(`DELIVERY#${tenant.organizationId}`)], [[], []]);
});
