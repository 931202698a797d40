/** What an endpoint does decides which lane it takes, and in the end whether it is sent to at all. */
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
/** An event now, and all of its attempts. */
const deliverEvent = async (): Promise<void> => {
  await match(t.written({ event: t.newEvent() }));
  await t.run();
};

test('an endpoint that answers 410 is asked once, and one task asks to disable its webhook', async () => {
  const webhook = t.addWebhook();
  status(webhook, 410);
  const failingSince = iso(t.clock.now());
  await deliverEvent();
  deepEqual(t.tasksSent(), [{ kind: 'disable-webhook', webhookId: webhook.id, reason: 'gone', failingSince, revision: 1 }]);
  const [{ status: ended, attempts, lastError } = {} as never] = t.deliveriesOf(webhook);
  deepEqual([ended, attempts, lastError], ['failed', 1, 'HTTP 410']);
  // Whoever disables it looks there first.
  equal(t.healthOf(webhook)?.failingSince, failingSince);
});

test('a 410 speaks of the webhook that the request was made of, not of what it was made into meanwhile', async () => {
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

test('an endpoint that has failed everything for five days is given up by one task, and not before', async () => {
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

test('nobody is given up before a delivery has used up its attempts, however long ago the first failure was', async () => {
  const webhook = t.addWebhook();
  status(webhook, 503);
  await deliverEvent();
  t.pass(6 * day);
  await match(t.written({ event: t.newEvent() }));
  // The last of five comes 9,060 s after the first, or later.
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
  test(`one success ${what} begins the five days anew`, async () => {
    const webhook = t.addWebhook({ retryEnabled: false });
    for (const n of Array(9).keys()) {
      status(webhook, n === when ? 204 : 500);
      await deliverEvent();
      equal(t.healthOf(webhook)?.failingSince === undefined, n === when);
      t.pass(n < when ? day : 0.9 * day);
    }
    deepEqual(t.tasksSent(), []);
  });

const laneNow = async (): Promise<string | undefined> => {
  const before = t.sent.length;
  await match(t.written({ event: t.newEvent() }));
  return t.sent[before]?.queue;
};
const takes = (outcome: PostOutcome) => ({ post: async () => outcome });

test('a new endpoint has its quick lane yet to earn, and one that failed to earn again', async () => {
  const webhook = t.addWebhook({ retryEnabled: false });
  for (const [code, lane] of [
    [200, 'slow'],
    [500, 'quick'],
    [200, 'slow'],
  ] as const) {
    equal(await laneNow(), lane);
    status(webhook, code);
    await t.run(0);
  }
  equal(await laneNow(), 'quick');
});

test('an endpoint that takes more than three seconds is slow, and three are not too many', async () => {
  t.addFastWebhook();
  equal(await laneNow(), 'quick');
  await t.run(0, takes({ kind: 'answered', status: 200, retryAfter: undefined, durationMs: 3_001 }));
  equal(await laneNow(), 'slow');
  await t.run(0, takes({ kind: 'answered', status: 200, retryAfter: undefined, durationMs: 3_000 }));
  equal(await laneNow(), 'quick');
});

test('where it cannot be read how an endpoint does, its event takes the slow lane, and does not fail', async () => {
  const webhook = t.addWebhook();
  const { BatchGetItem: read } = t.table.script;
  t.table.script.BatchGetItem = (input) =>
    JSON.stringify(input).includes('HEALTH') ? new Fault('AccessDeniedException') : read!(input);
  equal(await laneNow(), 'slow');
  t.table.script.BatchGetItem = read!;
  await t.run(0);
  equal(t.deliveriesOf(webhook)[0]?.status, 'delivered');
});

test('every retry waits among the slow', async () => {
  const webhook = t.addFastWebhook();
  status(webhook, 500);
  await match(t.written({ event: t.newEvent() }));
  await t.run(1_000);
  deepEqual(
    t.sent.map(({ queue }) => queue),
    ['quick', 'slow', 'slow'],
  );
});

test('when it was triggered is noted with every change, and else not more often than every second', async () => {
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
    // The attempt itself is written down, and among the slow it is claimed before.
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

test('what waits in the quick lane when its endpoint turns slow moves to the slow one without an attempt, and is delivered there', async () => {
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
  // Nobody is sent to twice for it.
  for (const body of quick) await t.give(body);
  equal(t.requestsTo(webhook).length, 5);
});
