/** The progress of a job reaches an endpoint in order, whatever the order of its messages. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import * as fc from 'fast-check';
import { beforeEach, test } from 'vitest';
import { newDelivery } from '../../../../shared/webhook/model/new-delivery.ts';
import { enterSequence } from '../../../../shared/webhook/model/progress-sequence.ts';
import type { StoredEvent, WebhookRecord } from '../../../../shared/webhook/model/record.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { sampleOf } from '../../../harness/builders/sample-webhook.ts';
import { createWebhookEnv } from '../../../harness/env/webhook-env.ts';
import { CrashInjector, crashPoints } from '../../../harness/faults/crash-injector.ts';

const t = await createWebhookEnv();

beforeEach(t.resetEnv);

const deciles = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

/** All events of a job that share a moment: the progress of a short one, then its end. */
const eventOf = (type: 'backup.progress' | 'backup.completed', percent = 101): StoredEvent => {
  const { data } = sampleOf(type) as { data: { progress: object } };
  const progress = { ...data.progress, percent };
  return { ...t.newEvent(), type, data: type === 'backup.progress' ? { ...data, progress } : data };
};
const progressAt = (percent: number): StoredEvent => eventOf('backup.progress', percent);
const jobEvents = (): readonly StoredEvent[] => [...deciles.map(progressAt), eventOf('backup.completed')];

interface Body {
  readonly type: string;
  readonly data: { readonly progress?: { readonly percent: number } };
}
/** What the endpoint was sent, in order: percentages, and the end of the job as 101. */
const heardBy = (webhook: WebhookRecord): readonly number[] =>
  t.requestsTo(webhook).map(({ body }) => {
    const { type, data } = JSON.parse(body.toString()) as Body;
    return type === 'backup.progress' ? (data.progress?.percent ?? Number.NaN) : 101;
  });
const percentOf = ({ event }: { readonly event: StoredEvent }): number => (event.data as Body['data']).progress?.percent ?? 101;
const statusesOf = (webhook: WebhookRecord): Readonly<Record<number, string>> =>
  Object.fromEntries(t.deliveriesOf(webhook).map((delivery) => [percentOf(delivery), delivery.status]));
const isAscending = (percents: readonly number[]): boolean =>
  percents.every((percent, n) => n === 0 || percent >= percents[n - 1]!);

const shuffled = fc.shuffledSubarray(
  Array.from({ length: 11 }, (_, n) => n),
  { minLength: 11 },
);

test('order property: all steps arrive in order if they are matched in any order before the first is sent', async () => {
  await fc.assert(
    fc.asyncProperty(shuffled, async (order) => {
      t.resetEnv();
      const webhook = t.addFastWebhook();
      const events = jobEvents();
      for (const n of order) await t.matchEvent(events[n]);
      await Promise.all(t.sent.splice(0).map(({ body }) => t.give(body)));
      await t.run();
      deepEqual(heardBy(webhook), [...deciles, 101]);
      deepEqual(new Set(Object.values(statusesOf(webhook))), new Set(['delivered']));
    }),
    { numRuns: propertyRuns({ quick: 3, usual: 6 }) },
  );
});

test('order property: steps matched within two seconds arrive in order, in whatever order they are matched and sent', async () => {
  await fc.assert(
    fc.asyncProperty(shuffled, async (order) => {
      t.resetEnv();
      const webhook = t.addFastWebhook();
      const events = jobEvents();
      for (const n of order) {
        await t.matchEvent(events[n]);
        await t.run(0.15);
      }
      await t.run();
      deepEqual(heardBy(webhook), [...deciles, 101]);
    }),
    { numRuns: propertyRuns({ quick: 3, usual: 6 }) },
  );
});

test('order property: an endpoint that fails at random never hears a lower percentage after one that it accepted', async () => {
  await fc.assert(
    fc.asyncProperty(shuffled, fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async (order, isAccepted) => {
      t.resetEnv();
      const webhook = t.addFastWebhook();
      const answers = [...isAccepted.map((yes) => ({ status: yes ? 200 : 500 })), { status: 200 }];
      t.receiver.answer(t.pathOf(webhook), ...answers);
      const events = jobEvents();
      for (const n of order) {
        await t.matchEvent(events[n]);
        if (n % 3 === 0) await t.run(3);
      }
      await t.run();
      const accepted = heardBy(webhook).filter((_, n) => (answers[n]?.status ?? 200) === 200);
      ok(isAscending(accepted), `accepted ${accepted.join(', ')}`);
      const statuses = statusesOf(webhook);
      equal(statuses[101], accepted.includes(101) ? 'delivered' : 'failed');
      for (const percent of deciles) equal(statuses[percent] === 'delivered', accepted.includes(percent));
    }),
    { numRuns: propertyRuns({ quick: 6, usual: 15 }) },
  );
});

test('order: a failed step whose later one was delivered is skipped, says so, and can be sent again by hand', async () => {
  const webhook = t.addFastWebhook();
  t.receiver.answer(t.pathOf(webhook), { status: 500 }, { status: 200 });
  await t.matchEvent(progressAt(10));
  await t.run(0);
  await t.matchEvent(progressAt(20));
  await t.run();
  deepEqual(heardBy(webhook), [10, 20]);
  const [first] = t.deliveriesOf(webhook).filter((delivery) => percentOf(delivery) === 10);
  const { status, attempts, lastError, nextAttemptAt } = first!;
  deepEqual(
    { status, attempts, lastError, nextAttemptAt },
    { status: 'skipped', attempts: 1, lastError: 'not sent: a later step of the job was delivered before', nextAttemptAt: null },
  );
  t.table.put({ ...first!, status: 'attempting', roundStart: 1, attemptsMax: 2 });
  const task = { kind: 'deliver', webhookId: webhook.id, deliveryId: first!.id, attempt: 2 };
  await t.give(JSON.stringify({ organizationId: t.organizationId, task }));
  deepEqual(heardBy(webhook), [10, 20, 10]);
});

test('order: progress that arrives after the end of its job is skipped; that of a resumed job is sent', async () => {
  const webhook = t.addFastWebhook();
  const [late, ended] = [progressAt(50), eventOf('backup.completed')];
  await t.matchEvent(ended);
  await t.run(5);
  await t.matchEvent(late);
  await t.run();
  t.pass(1);
  await t.matchEvent(progressAt(60));
  await t.run();
  deepEqual(heardBy(webhook), [101, 60]);
  equal(statusesOf(webhook)[50], 'skipped');
});

test('order: a step that is announced but whose delivery is not created yet is waited for, unless its worker crashed', async () => {
  for (const isCreated of [true, false]) {
    t.resetEnv();
    const webhook = t.addFastWebhook();
    const first = progressAt(10);
    await t.matchEvent(progressAt(20));
    // Longer than a step waits for one that is not announced.
    t.pass(3);
    await enterSequence(newDelivery(t.tenant, { webhook, event: first, now: t.clock.now() }), webhook, t.clock.now());
    await t.run(0);
    deepEqual(heardBy(webhook), []);
    if (isCreated) await t.matchEvent(first);
    await t.run(30);
    deepEqual(heardBy(webhook), isCreated ? [10, 20] : [20]);
    deepEqual(new Set(Object.values(statusesOf(webhook))), new Set(['delivered']));
  }
});

test('order: jobs and endpoints do not wait for each other, nor does the end of a job without subscribed progress', async () => {
  const [both, endOnly] = [t.addFastWebhook(), t.addFastWebhook({ events: ['backup.completed'] })];
  t.receiver.answer(t.pathOf(both), { status: 500 });
  const other = progressAt(90);
  await t.matchEvent(eventOf('backup.completed'));
  await t.matchEvent({ ...other, data: { ...(other.data as object), backup: { id: 'bkp_other', trigger: 'manual' } } });
  await t.run(0);
  deepEqual([heardBy(both), heardBy(endOnly)], [[], [101]]);
  await t.run(3);
  deepEqual(heardBy(both).toSorted(), [101, 90]);
});

test('order: the end of a job overtakes steps that an endpoint has kept waiting for a minute', async () => {
  const webhook = t.addFastWebhook();
  for (const event of [progressAt(10), eventOf('backup.completed')]) await t.matchEvent(event);
  const end = t.sent.at(-1)!.body;
  t.pass(60);
  await t.give(end);
  deepEqual(heardBy(webhook), [101]);
  equal(statusesOf(webhook)[10], 'skipped');
});

test('order: a replay sends all steps again in order', async () => {
  const webhook = t.addFastWebhook();
  for (const event of jobEvents()) await t.matchEvent(event);
  await t.run();
  const delivered = t.deliveriesOf(webhook).toReversed();
  for (const delivery of delivered) {
    const again = { ...delivery, status: 'attempting', roundStart: 1, attemptsMax: 6, replay: 'walk' } as const;
    t.table.put({ ...again, nextAttemptAt: t.clock.now().toISOString() });
    await enterSequence(again, webhook, t.clock.now());
  }
  for (const { id } of delivered) {
    const task = { kind: 'deliver', webhookId: webhook.id, deliveryId: id, attempt: 2 };
    await t.give(JSON.stringify({ organizationId: t.organizationId, task }));
  }
  deepEqual(heardBy(webhook), [...deciles, 101, ...deciles, 101]);
});

test('order crash: after a crash at any effect nothing lower follows what the endpoint accepted, and the end arrives', async () => {
  const deliverJob = async (crash: CrashInjector) => {
    t.resetEnv();
    const webhook = t.addFastWebhook();
    t.receiver.answer(t.pathOf(webhook), { status: 200 }, { status: 500 }, { status: 200 });
    for (const event of [progressAt(10), progressAt(20), progressAt(30), eventOf('backup.completed')]) await t.matchEvent(event);
    t.setCrashInjector(crash);
    await t.run();
    return webhook;
  };
  const whole = new CrashInjector();
  await deliverJob(whole);
  for (const { at, when } of crashPoints(whole.effects)) {
    const webhook = await deliverJob(new CrashInjector(at, when));
    const accepted = heardBy(webhook).filter((_, n) => n !== 1);
    ok(isAscending(accepted), `${when} ${at}: ${accepted.join(', ')}`);
    equal(statusesOf(webhook)[101], 'delivered', `${when} ${at}`);
    for (const status of Object.values(statusesOf(webhook))) ok(['delivered', 'skipped'].includes(status), `${when} ${at}`);
  }
});
