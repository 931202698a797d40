/** Number, times and metadata of the attempts of a delivery. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { iso } from '../../../../shared/platform/index.ts';
import { deliver } from '../../../../shared/webhook/deliver/deliver.ts';
import type { WebhookRecord } from '../../../../shared/webhook/model/record.ts';
import { createWebhookEnv } from '../../../harness/env/webhook-env.ts';

const t = await createWebhookEnv();

beforeEach(t.resetEnv);

const begin = async (more: Partial<WebhookRecord> = {}) => {
  const webhook = t.addWebhook(more);
  await t.matchEvent();
  return webhook;
};
/** When each attempt reached the endpoint, in seconds since the first. */
const secondsOf = (webhook: WebhookRecord): readonly number[] => {
  const times = t.requestsTo(webhook).map(({ headers }) => Number(headers['x-service-timestamp']));
  return times.map((time) => time - times[0]!);
};

/** What each attempt said about itself and the ones that follow. */
const outlooksOf = (webhook: WebhookRecord) =>
  t
    .requestsTo(webhook)
    .map(t.metadataOf)
    .map(({ attempt, maxAttempts, willRetry }) => [attempt, maxAttempts, willRetry]);

test('deliver: a failing delivery has five attempts, after 0, 1 min, 5 min, 30 min and 2 h, announced in the metadata', async () => {
  const webhook = await begin();
  t.receiver.answer(t.pathOf(webhook), { status: 500 });
  await t.run();
  deepEqual(secondsOf(webhook), [0, 60, 360, 2_160, 9_360]);
  deepEqual(outlooksOf(webhook), [
    [1, undefined, undefined],
    [2, 5, true],
    [3, 5, true],
    [4, 5, true],
    [5, 5, false],
  ]);
  const { id, status, attempts, lastError, statusCode, nextAttemptAt, request } = t.deliveryOf(webhook);
  deepEqual(
    { status, attempts, lastError, statusCode, nextAttemptAt },
    { status: 'failed', attempts: 5, lastError: 'HTTP 500', statusCode: 500, nextAttemptAt: null },
  );
  deepEqual(
    t.requestsTo(webhook).map(({ headers }) => headers['webhook-id']),
    Array(5).fill(id),
  );
  equal(request?.body, t.requestsTo(webhook)[4]?.body.toString());
});

test('deliver: nextAttemptAt is the due time of the next attempt, which the queue or Scheduler holds until then', async () => {
  const webhook = await begin();
  t.receiver.answer(t.pathOf(webhook), { status: 500 });
  const dues: number[] = [];
  for (const _ of [1, 2, 3, 4]) {
    const nowMs = t.clock.now().getTime();
    await t.run(0);
    const { nextAttemptAt, status } = t.deliveryOf(webhook);
    equal(status, 'attempting');
    const waitSeconds = (Date.parse(nextAttemptAt!) - nowMs) / 1_000;
    dues.push(waitSeconds);
    // The queue delays messages by up to 15 minutes.
    deepEqual(
      [t.sent.at(-1)?.delaySeconds === waitSeconds, [...t.entries.values()].map(({ dueMs }) => (dueMs - nowMs) / 1_000)],
      waitSeconds <= 900 ? [true, []] : [false, [waitSeconds]],
    );
    await t.run(waitSeconds - 1);
    equal(t.requestsTo(webhook).length, dues.length, 'not before its time');
    await t.run(0.999);
    equal(t.requestsTo(webhook).length, dues.length, 'not before its time');
    const rest = nowMs + waitSeconds * 1_000 - t.clock.now().getTime();
    ok(rest > 0);
    await t.run(rest / 1_000);
  }
  deepEqual(dues, [60, 300, 1_800, 7_200]);
});

test('deliver: jitter adds up to 10% to every delay and never shortens it', async () => {
  const webhook = await begin();
  t.receiver.answer(t.pathOf(webhook), { status: 500 });
  await t.run(undefined, t.deliveryDeps(0.9999));
  deepEqual(secondsOf(webhook), [0, 66, 396, 2_376, 10_296]);
});

test('deliver: after a successful retry no further attempt is sent, and redirects are not followed', async () => {
  const webhook = await begin();
  t.receiver.answer(
    t.pathOf(webhook),
    { raw: 'no' },
    { status: 302, headers: { location: t.receiver.url('/elsewhere') } },
    { status: 204 },
  );
  await t.run();
  deepEqual(t.attemptsTo(webhook), [1, 2, 3]);
  const { status, attempts, lastError, statusCode } = t.deliveryOf(webhook);
  deepEqual({ status, attempts, lastError, statusCode }, { status: 'delivered', attempts: 3, lastError: null, statusCode: 204 });
  equal(t.receiver.requests.filter(({ path }) => path === '/elsewhere').length, 0);
});

for (const [what, more] of [
  ['a webhook without retries', { retryEnabled: false }],
  ['a webhook of the simple format', { format: 'simple', events: ['backup.started'] }],
] as const)
  test(`deliver: ${what} gets a single attempt`, async () => {
    const webhook = t.addWebhook(more as Partial<WebhookRecord>);
    t.receiver.answer(t.pathOf(webhook), { status: 503, headers: { 'retry-after': '5' } });
    const event = { ...t.newEvent(), type: 'backup.started', data: backupStarted } as const;
    await t.matchEvent(event);
    await t.run();
    equal(t.requestsTo(webhook).length, 1);
    const { status, attempts, attemptsMax, nextAttemptAt } = t.deliveryOf(webhook);
    deepEqual(
      { status, attempts, attemptsMax, nextAttemptAt },
      { status: 'failed', attempts: 1, attemptsMax: 1, nextAttemptAt: null },
    );
  });

test('deliver: after a 410 a repeated attempt announces no retry, and none follows', async () => {
  const webhook = await begin();
  t.receiver.answer(t.pathOf(webhook), { status: 410 });
  await t.run();
  const failed = t.deliveryOf(webhook);
  deepEqual([failed.status, failed.attempts], ['failed', 1]);
  // A replay starts a full round.
  t.table.put({ ...failed, status: 'attempting', roundStart: 1, attemptsMax: 6, nextAttemptAt: iso(t.clock.now()) });
  t.receiver.answer(t.pathOf(webhook), { status: 500 });
  await deliver(t.tenant, {
    ref: { webhookId: webhook.id, deliveryId: failed.id, attempt: 2 },
    queue: 'deliveryRetry',
    deps: t.deliveryDeps(),
  });
  const { attempt, maxAttempts, willRetry } = t.metadataOf(t.requestsTo(webhook)[1]!);
  deepEqual({ attempt, maxAttempts, willRetry }, { attempt: 2, maxAttempts: 2, willRetry: false });
  equal(t.deliveryOf(webhook).status, 'failed');
});

for (const [what, more, outlooks] of [
  [
    'tells from its first attempt on whether another follows',
    {},
    [
      [1, 5, true],
      [2, 5, true],
      [3, 5, true],
      [4, 5, true],
      [5, 5, false],
    ],
  ],
  ['tells that none follows if retries are disabled', { retryEnabled: false }, [[1, 1, false]]],
] as const)
  test(`deliver: a backup.failed event ${what}`, async () => {
    const webhook = t.addWebhook(more);
    t.receiver.answer(t.pathOf(webhook), { status: 500 });
    await t.matchEvent({ ...t.newEvent(), type: 'backup.failed', data: backupStarted });
    await t.run();
    deepEqual(outlooksOf(webhook), outlooks);
  });

test('deliver: an attempt after a success announces that none follows', async () => {
  const webhook = await begin();
  await t.run();
  const delivered = t.deliveryOf(webhook);
  t.table.put({ ...delivered, status: 'attempting', roundStart: 1, attemptsMax: 2, nextAttemptAt: iso(t.clock.now()) });
  await deliver(t.tenant, {
    ref: { webhookId: webhook.id, deliveryId: delivered.id, attempt: 2 },
    queue: 'deliveryRetry',
    deps: t.deliveryDeps(),
  });
  deepEqual(outlooksOf(webhook), [
    [1, undefined, undefined],
    [2, 2, false],
  ]);
});

const backupStarted = {
  backup: { id: 'bkp_1', projectId: 'prj_1', type: 'full', status: 'running', trigger: 'manual', scheduleId: null },
  project: { id: 'prj_1', name: 'Shop', sourceProjectId: 'shop' },
  organization: { id: 'org_1', name: 'Acme' },
};

test('deliver: disabling retries cancels a pending retry', async () => {
  const webhook = await begin();
  t.receiver.answer(t.pathOf(webhook), { status: 500 });
  await t.run(0);
  t.addWebhook({ ...webhook, retryEnabled: false });
  await t.run();
  equal(t.requestsTo(webhook).length, 1);
  const { status, attempts, lastError, nextAttemptAt } = t.deliveryOf(webhook);
  deepEqual([status, attempts, lastError, nextAttemptAt], ['failed', 1, 'HTTP 500', null]);
});

for (const [retryAfter, status, waits] of [
  ['1', 429, 60],
  ['90', 429, 90],
  ['99999', 503, 120],
  ['1000000000', 429, 120],
  ['9'.repeat(400), 429, 120],
  ['Sun, 01 Mar 2026 12:01:40 GMT', 503, 100],
  ['Sat, 28 Feb 2026 12:00:00 GMT', 503, 60],
  ['garbage', 429, 60],
  ['-5', 429, 60],
  ['', 429, 60],
  ['90', 500, 60],
] as const)
  test(`deliver: Retry-After "${retryAfter.slice(0, 40)}" with status ${status} gives a delay of ${waits} s`, async () => {
    const webhook = await begin();
    t.receiver.answer(t.pathOf(webhook), { status, headers: { 'retry-after': retryAfter } }, { status: 200 });
    await t.run();
    deepEqual(secondsOf(webhook), [0, waits]);
  });
