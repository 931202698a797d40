/** The health of an endpoint decides which queue its deliveries use, and when its webhook is disabled. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { handler as match } from '../../../../functions/webhook/match.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import type { PostOutcome } from '../../../../shared/platform/index.ts';
import { iso } from '../../../../shared/platform/index.ts';
import { disableWebhook } from '../../../../shared/webhook/index.ts';
import type { WebhookRecord } from '../../../../shared/webhook/model/record.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { createWebhookEnv } from '../../../harness/env/webhook-env.ts';

const t = await createWebhookEnv();

beforeEach(t.resetEnv);

const day = 24 * 3_600;
const status = (webhook: WebhookRecord, code: number) => t.receiver.answer(t.pathOf(webhook), { status: code });
/** Emits an event and runs all of its attempts. */
const deliverEvent = async (): Promise<void> => {
  await match(t.written({ event: t.newEvent() }));
  await t.run();
};

test('endpoint health: a 410 ends the delivery after one attempt and enqueues one task to disable the webhook', async () => {
  const webhook = t.addWebhook();
  status(webhook, 410);
  const failingSince = iso(t.clock.now());
  await deliverEvent();
  deepEqual(t.tasksSent(), [{ kind: 'disable-webhook', webhookId: webhook.id, reason: 'gone', failingSince, revision: 1 }]);
  const [{ status: ended, attempts, lastError } = {} as never] = t.deliveriesOf(webhook);
  deepEqual([ended, attempts, lastError], ['failed', 1, 'HTTP 410']);
  // The disable task checks this first.
  equal(t.healthOf(webhook)?.failingSince, failingSince);
});

test('endpoint health: a 410 does not disable a webhook that was changed during the request', async () => {
  const webhook = t.addWebhook();
  t.receiver.answer(t.pathOf(webhook), () => {
    t.addWebhook({ ...webhook, url: t.receiver.url(t.newPath()), revision: 2 });
    return { status: 410 };
  });
  await deliverEvent();
  const [task] = t.tasksSent() as unknown as Parameters<typeof disableWebhook>[1][];
  equal(task?.revision, 1);
  t.table.put({ ...organizationKey.organization(t.tenant), id: t.organizationId, name: 'Acme' });
  await disableWebhook(t.tenant, task, t.clock.now());
  deepEqual([t.table.get<WebhookRecord>(webhook)?.enabled, t.table.get<WebhookRecord>(webhook)?.revision], [true, 2]);
});

test('endpoint health: five days of failures, and not less, enqueue one task to disable the webhook', async () => {
  const webhook = t.addWebhook({ retryEnabled: false });
  status(webhook, 500);
  const failingSince = iso(t.clock.now());
  for (const seconds of [day, day, day, day, day - 1]) {
    await deliverEvent();
    t.pass(seconds);
  }
  await deliverEvent();
  deepEqual(t.tasksSent(), []);
  t.pass(1);
  await deliverEvent();
  deepEqual(t.tasksSent(), [{ kind: 'disable-webhook', webhookId: webhook.id, reason: 'failing', failingSince, revision: 1 }]);
});

test('endpoint health: no webhook is disabled before a delivery has used all attempts, however old the first failure is', async () => {
  const webhook = t.addWebhook();
  status(webhook, 503);
  await deliverEvent();
  t.pass(6 * day);
  await match(t.written({ event: t.newEvent() }));
  // The fifth attempt is sent at least 9,060 s after the first.
  await t.run(9_000);
  deepEqual(t.tasksSent(), []);
  await t.run();
  deepEqual(
    t.tasksSent().map(({ kind }) => kind),
    ['disable-webhook'],
  );
  equal(t.deliveriesOf(webhook).at(-1)?.attempts, 5);
});

for (const [what, when] of [
  ['in the middle', 2],
  ['at the last moment', 5],
] as const)
  test(`endpoint health: a success ${what} restarts the five days`, async () => {
    const webhook = t.addWebhook({ retryEnabled: false });
    for (const n of Array(9).keys()) {
      status(webhook, n === when ? 204 : 500);
      await deliverEvent();
      equal(t.healthOf(webhook)?.failingSince === undefined, n === when);
      t.pass(n < when ? day : 0.9 * day);
    }
    deepEqual(t.tasksSent(), []);
  });

const queueNow = async (): Promise<string | undefined> => {
  const before = t.sent.length;
  await match(t.written({ event: t.newEvent() }));
  return t.sent[before]?.queue;
};
const takes = (outcome: PostOutcome) => ({ post: async () => outcome });

test('endpoint health: a new or failed endpoint uses the slow queue until its next success', async () => {
  const webhook = t.addWebhook({ retryEnabled: false });
  for (const [code, queue] of [
    [200, 'slow'],
    [500, 'quick'],
    [200, 'slow'],
  ] as const) {
    equal(await queueNow(), queue);
    status(webhook, code);
    await t.run(0);
  }
  equal(await queueNow(), 'quick');
});

test('endpoint health: an endpoint is slow if it takes more than three seconds', async () => {
  t.addFastWebhook();
  equal(await queueNow(), 'quick');
  await t.run(0, takes({ kind: 'answered', status: 200, retryAfter: undefined, durationMs: 3_001 }));
  equal(await queueNow(), 'slow');
  await t.run(0, takes({ kind: 'answered', status: 200, retryAfter: undefined, durationMs: 3_000 }));
  equal(await queueNow(), 'quick');
});

test('endpoint health: if the health record cannot be read, the event uses the slow queue and is delivered', async () => {
  const webhook = t.addWebhook();
  const { BatchGetItem: read } = t.table.script;
  t.table.script.BatchGetItem = (input) =>
    JSON.stringify(input).includes('HEALTH') ? new Fault('AccessDeniedException') : read!(input);
  equal(await queueNow(), 'slow');
  t.table.script.BatchGetItem = read!;
  await t.run(0);
  equal(t.deliveriesOf(webhook)[0]?.status, 'delivered');
});

test('endpoint health: every retry uses the slow queue', async () => {
  const webhook = t.addFastWebhook();
  status(webhook, 500);
  await match(t.written({ event: t.newEvent() }));
  await t.run(1_000);
  deepEqual(
    t.sent.map(({ queue }) => queue),
    ['quick', 'slow', 'slow'],
  );
});

test('endpoint health: lastTriggeredAt is written with every change of health, otherwise at most once per second', async () => {
  const webhook = t.addFastWebhook();
  let writes = 0;
  const { onWrite } = t.table;
  const noted = async (): Promise<boolean> => {
    await match(t.written({ event: t.newEvent() }));
    const { body, queue } = t.sent.at(-1)!;
    writes = 0;
    t.table.onWrite = (when) => {
      if (when === 'before') writes += 1;
      return onWrite(when);
    };
    await t.give(body);
    t.table.onWrite = onWrite;
    // One write records the attempt; on the slow queue another one leases it first.
    const others = queue === 'slow' ? 2 : 1;
    ok(writes >= others);
    return writes === others + 1;
  };
  deepEqual([await noted(), await noted()], [true, false]);
  equal(t.healthOf(webhook)?.lastTriggeredAt, iso(t.clock.now()));
  t.pass(0.9);
  equal(await noted(), false);
  t.pass(1);
  equal(await noted(), true);
  equal(t.healthOf(webhook)?.lastTriggeredAt, iso(t.clock.now()));
  status(webhook, 500);
  equal(await noted(), true);
  equal(await noted(), false);
});

test('endpoint health: when an endpoint becomes slow, its fast-queue messages move to the slow queue unsent and are delivered there', async () => {
  const webhook = t.addFastWebhook({ retryEnabled: false });
  for (const _ of Array(5)) await match(t.written({ event: t.newEvent() }));
  deepEqual(new Set(t.sent.map(({ queue }) => queue)), new Set(['quick']));
  t.receiver.answer(t.pathOf(webhook), { status: 500 }, { status: 200 });
  const quick = t.sent.map(({ body }) => body);
  for (const body of quick) await t.give(body);
  equal(t.requestsTo(webhook).length, 1);
  const moved = t.sent.slice(5);
  deepEqual(
    moved.map(({ queue, delaySeconds, body }) => [queue, delaySeconds, t.taskOf({ body }).attempt]),
    Array(4).fill(['slow', 0, 1]),
  );
  for (const { body } of moved) await t.give(body);
  deepEqual(
    t
      .deliveriesOf(webhook)
      .map((delivery) => [delivery.status, delivery.attempts])
      .sort(),
    [...Array(4).fill(['delivered', 1]), ['failed', 1]],
  );
  // Duplicates of the moved messages send nothing.
  for (const body of quick) await t.give(body);
  equal(t.requestsTo(webhook).length, 5);
});

test('endpoint health: failed attempts are counted until the next success', async () => {
  const webhook = t.addWebhook({ retryEnabled: false });
  status(webhook, 500);
  for (let n = 0; n < 3; n++) {
    await deliverEvent();
    t.pass(60);
  }
  equal(t.healthOf(webhook)?.failureCount, 3);
  status(webhook, 200);
  await deliverEvent();
  deepEqual([t.healthOf(webhook)?.failureCount, t.healthOf(webhook)?.failingSince], [undefined, undefined]);
  t.pass(60);
  status(webhook, 500);
  await deliverEvent();
  equal(t.healthOf(webhook)?.failureCount, 1);
});
