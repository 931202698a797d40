/** An attempt is sent when it is due, whether Scheduler or the queue, which has a shorter maximum delay, holds its message. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import type { TaskMessage } from '../../../../shared/event/index.ts';
import { after, iso } from '../../../../shared/platform/index.ts';
import type { WebhookRecord } from '../../../../shared/webhook/model/record.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { createWebhookEnv } from '../../../harness/env/webhook-env.ts';

const t = await createWebhookEnv();

beforeEach(t.resetEnv);

const begin = async (...answers: Parameters<typeof t.receiver.answer>[1][]): Promise<WebhookRecord> => {
  const webhook = t.addWebhook();
  t.receiver.answer(t.pathOf(webhook), ...(answers.length > 0 ? answers : [{ status: 500 }]));
  await t.matchEvent();
  return webhook;
};
const secondsOf = (webhook: WebhookRecord): readonly number[] => {
  const times = t.requestsTo(webhook).map(({ headers }) => Number(headers['x-service-timestamp']));
  return times.map((time) => time - times[0]!);
};
const inTime = [0, 60, 360, 2_160, 9_360];
/** Number of messages sent per attempt. */
const sendings = (): readonly number[] => [1, 2, 3, 4, 5].map((n) => t.sent.filter((one) => t.taskOf(one).attempt === n).length);

for (const [what, fault] of [
  ['throttles', new Fault('ThrottlingException', 429)],
  ['is unavailable', new Fault('InternalServerException', 500)],
  ['denies access', new Fault('AccessDeniedException', 403)],
] as const)
  test(`delivery queues: if Scheduler ${what}, the queue delivers every attempt once and on time`, async () => {
    const webhook = await begin();
    t.faults.ofScheduler = () => fault;
    await t.run();
    deepEqual(secondsOf(webhook), inTime);
    const { status, attempts } = t.deliveryOf(webhook);
    deepEqual([status, attempts, t.entries.size], ['failed', 5, 0]);
    // The queue delays a message by at most 900 s: 1,800 s take two messages, 7,200 s take eight.
    deepEqual(sendings(), [1, 1, 1, 2, 8]);
    ok(t.sent.every(({ delaySeconds }) => delaySeconds <= 900));
  });

test('delivery queues: the longest Retry-After takes at most sixteen queue messages', async () => {
  const webhook = await begin(
    { status: 500 },
    { status: 500 },
    { status: 500 },
    { status: 429, headers: { 'retry-after': '99999' } },
  );
  t.faults.ofScheduler = () => new Fault('ThrottlingException', 429);
  await t.run();
  deepEqual(secondsOf(webhook), [0, 60, 360, 2_160, 2_160 + 14_400]);
  deepEqual(sendings(), [1, 1, 1, 2, 16]);
});

test('delivery queues: a Scheduler entry that has fired but still exists does not block a repeated attempt', async () => {
  const webhook = await begin();
  await t.run(400);
  const [name, entry] = [...t.entries][0]!;
  // The worker of the third attempt crashed before it recorded it, and its message is lost, too.
  const { lastAttemptAt } = t.deliveryOf(webhook);
  t.table.put({ ...t.deliveryOf(webhook), attempts: 2, nextAttemptAt: lastAttemptAt });
  t.pass((entry.dueMs - t.clock.now().getTime()) / 1_000);
  await t.give(entry.body);
  equal(t.entries.has(name), true);
  t.entries.delete(name);
  await t.run();
  deepEqual(t.attemptsTo(webhook), [1, 2, 3, 3, 4, 5]);
  deepEqual(secondsOf(webhook).slice(3), [2_160, 2_160 + 1_800, 2_160 + 1_800 + 7_200]);
  const { status, attempts } = t.deliveryOf(webhook);
  deepEqual([status, attempts], ['failed', 5]);
});

test('deliver: an attempt with notBefore is requeued until it is due; one without is sent immediately', async () => {
  const webhook = await begin();
  await t.run(0);
  const { body } = t.sent.at(-1)!;
  const due = after(t.clock.now(), 1_800);
  const early = JSON.parse(body) as TaskMessage & { task: object };
  const cut = JSON.stringify({ ...early, task: { ...early.task, notBefore: iso(due) } });
  for (const secondsLeft of [1_800, 901, 6]) {
    t.pass((due.getTime() - t.clock.now().getTime()) / 1_000 - secondsLeft);
    await t.give(cut);
    const { queue, delaySeconds } = t.sent.at(-1)!;
    deepEqual([queue, delaySeconds, t.taskOf(t.sent.at(-1)!).attempt], ['slow', Math.min(secondsLeft, 900), 2]);
  }
  deepEqual(t.attemptsTo(webhook), [1]);
  // Clocks may differ.
  t.pass(2);
  await t.give(cut);
  deepEqual(t.attemptsTo(webhook), [1, 2]);
});
