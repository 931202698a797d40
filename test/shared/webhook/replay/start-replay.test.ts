/** A replay sends every requested event exactly once, wherever it is interrupted. */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { afterAll, beforeEach, describe, test } from 'vitest';
import { webhooks } from '../../../../shared/contract/endpoints/webhooks.ts';
import { readTask } from '../../../../shared/event/index.ts';
import { commit, iso, after as later } from '../../../../shared/platform/index.ts';
import { runReplay, startReplay } from '../../../../shared/webhook/index.ts';
import { deliveryIdOf } from '../../../../shared/webhook/model/delivery-id.ts';
import { type StoredEvent, type WebhookDeliveryRecord, webhookKey } from '../../../../shared/webhook/model/record.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import {
  createWebhookRecordsEnv,
  deliveryOf,
  eventAt,
  eventItem,
  minutes,
  now,
  organization,
  tenant,
  webhookOf,
} from '../../../harness/env/webhook-records.ts';

const { table, aws, refusal, messages, tasks } = await createWebhookRecordsEnv();
afterAll(() => aws.stop());

const webhook = webhookOf();
beforeEach(() => {
  table.items.clear();
  table.onWrite = () => undefined;
  refusal.fault = undefined;
  aws.calls.length = 0;
  table.put(organization);
  table.put(webhook);
});

type Task = Parameters<typeof runReplay>[1];
const taskOf = (more: Partial<Task> = {}): Task => ({
  kind: 'replay-webhook',
  walk: 'walk-1',
  webhookId: webhook.id,
  from: iso(minutes(-120)),
  to: iso(now),
  events: ['*'],
  status: 'failed',
  ...more,
});
const clock = { now: () => now };
const run = (task: Task = taskOf()) => runReplay(tenant, task, { until: minutes(1), time: clock });
const put = (event: StoredEvent, more?: Partial<WebhookDeliveryRecord>): WebhookDeliveryRecord => {
  table.put(eventItem(event));
  const delivery = deliveryOf(webhook, event, more);
  if (more) table.put(delivery);
  return delivery;
};
const sent = () => messages().map(([, { deliveryId }]) => deliveryId);
const stored = (delivery: WebhookDeliveryRecord) => table.get<WebhookDeliveryRecord>(delivery);

describe('replay: selection', () => {
  const deliveries = () => ({
    failed: put(eventAt(minutes(-50)), {}),
    delivered: put(eventAt(minutes(-40)), { status: 'delivered', attempts: 1 }),
    attempting: put(eventAt(minutes(-30)), { status: 'attempting', attempts: 2, nextAttemptAt: iso(minutes(20)) }),
    overdue: put(eventAt(minutes(-20)), { status: 'attempting', attempts: 0, nextAttemptAt: iso(minutes(-20)) }),
    missing: put(eventAt(minutes(-10))),
  });
  for (const [status, expected] of [
    ['failed', ['failed', 'overdue']],
    ['delivered', ['delivered']],
    ['missing', ['missing']],
    ['all', ['failed', 'delivered', 'overdue', 'missing']],
  ] as const)
    test(`replay: status ${status} sends ${expected.join(', ')}`, async () => {
      const all = deliveries();
      const untouched = { ...stored(all.attempting) };
      await run(taskOf({ status }));
      deepEqual(
        sent(),
        expected.map((name) => all[name].id),
      );
      for (const name of expected) equal(stored(all[name])?.status, 'attempting');
      deepEqual(stored(all.attempting), untouched);
    });

  test('replay: each delivery gets a full round after its earlier attempts, on the slow queue', async () => {
    const [once, full] = [webhookOf({ retryEnabled: false }), webhookOf()];
    for (const [replayed, attemptsMax] of [[once, 6] as const, [full, 10] as const]) {
      table.put(replayed);
      const event = eventAt(minutes(-50));
      const delivery = deliveryOf(replayed, event);
      table.put(eventItem(event));
      table.put(delivery);
      await run(taskOf({ webhookId: replayed.id }));
      const { roundStart, attemptsMax: most, nextAttemptAt, attempts } = stored(delivery)!;
      deepEqual([roundStart, most, nextAttemptAt, attempts], [5, attemptsMax, iso(now), 5]);
      deepEqual(messages().at(-1), ['Slow', { kind: 'deliver', webhookId: replayed.id, deliveryId: delivery.id, attempt: 6 }]);
    }
  });

  test('replay: sends only events of the range, the requested names, the subscription and the filters', async () => {
    const narrow = webhookOf({
      id: webhook.id,
      events: ['backup.*'],
      filters: { ...webhook.filters, excludeTrigger: ['manual'] },
    });
    table.put(narrow);
    const manual = eventAt(minutes(-30));
    const data = manual.data as { readonly backup: object };
    const scheduled = (moment: Date, name: StoredEvent['type'] = 'backup.completed'): StoredEvent => ({
      ...eventAt(moment, name),
      data: { ...data, backup: { ...data.backup, trigger: 'scheduled' } },
    });
    const wanted = [scheduled(minutes(-120)), scheduled(minutes(-30)), scheduled(now)];
    const others = [
      scheduled(minutes(-121)),
      scheduled(minutes(1)),
      scheduled(minutes(-30), 'backup.started'),
      { ...manual, data: { ...data, backup: { ...data.backup, trigger: 'manual' } } },
      eventAt(minutes(-30), 'member.joined'),
    ];
    for (const event of [...wanted, ...others]) table.put(eventItem(event));
    await run(taskOf({ status: 'missing', events: ['backup.completed', 'member.*'] }));
    deepEqual(
      sent(),
      wanted.map(({ id }) => deliveryIdOf(id, webhook.id)),
    );
  });

  test('replay: an event past its TTL is not sent', async () => {
    table.put({ ...eventItem(eventAt(minutes(-30))), ttl: Math.floor(now.getTime() / 1_000) });
    await run(taskOf({ status: 'all' }));
    deepEqual(sent(), []);
  });
});

describe('replay: several pages', () => {
  const failedOnes = (count: number) => Array.from({ length: count }, (_, n) => put(eventAt(minutes(n / 10 - 60)), {}));

  test('replay: at the deadline it enqueues a task that continues, until the end', async () => {
    const all = failedOnes(120);
    let [task, runs]: [Task | undefined, number] = [taskOf(), 0];
    while (task && runs < 5) {
      let looks = 0;
      // The deadline has passed when it is checked after the first page.
      const time = { now: () => (looks++ < 4 ? now : minutes(2)) };
      const before = tasks().length;
      await runReplay(tenant, task, { until: minutes(1), time });
      runs += 1;
      task = tasks().slice(before)[0] as Task | undefined;
    }
    equal(runs, 3);
    deepEqual(
      sent(),
      all.map(({ id }) => id),
    );
  });

  test('replay: after a crash at any write, a repetition sends everything and starts no round twice', async () => {
    for (let fatal = 0, isCut = true; isCut; fatal += 17) {
      table.items.clear();
      aws.calls.length = 0;
      table.put(organization);
      table.put(webhook);
      const all = failedOnes(110);
      let writes = 0;
      table.onWrite = (when) => (when === 'after' && writes++ === fatal ? new Fault('AccessDeniedException') : undefined);
      isCut = await run().then(
        () => false,
        () => true,
      );
      table.onWrite = () => undefined;
      await run();
      deepEqual([...new Set(sent())].sort(), all.map(({ id }) => id).sort(), `cut after write ${fatal}`);
      deepEqual([...new Set(all.map((delivery) => stored(delivery)?.attemptsMax))], [10]);
    }
  });

  test('replay: a message that the queue refused is sent when the task is retried', async () => {
    const [delivery] = failedOnes(1);
    refusal.fault = new Fault('QueueDoesNotExist');
    await rejects(run());
    refusal.fault = undefined;
    aws.calls.length = 0;
    await run();
    deepEqual(sent(), [delivery!.id]);
  });

  test('replay: a repeated task sends nothing after all was delivered; another replay does', async () => {
    const delivery = put(eventAt(minutes(-30)), { status: 'delivered', attempts: 1 });
    const task = taskOf({ status: 'all' });
    await run(task);
    table.put({ ...stored(delivery), status: 'delivered', attempts: 2, nextAttemptAt: null });
    await run(task);
    equal(sent().length, 1);
    // As the request that starts a replay does.
    table.put({ ...webhookKey.replay(tenant, webhook.id), walk: 'walk-2', until: iso(later(now, 60)), ttl: 4_000_000_000 });
    await run({ ...task, walk: 'walk-2' });
    equal(sent().length, 2);
  });

  for (const [name, gone] of [
    ['a webhook that is disabled', () => table.put({ ...webhook, enabled: false })],
    ['a webhook that is removed', () => table.items.delete(`${webhook.pk}\n${webhook.sk}`)],
    ['an organization that is deleted', () => table.put({ ...organization, deletedAt: iso(now) })],
  ] as const)
    test(`replay: ${name} meanwhile ends it`, async () => {
      failedOnes(1);
      gone();
      await run();
      deepEqual([sent(), tasks()], [[], []]);
    });
});

describe('replay: lock', () => {
  const start = (at = now) =>
    commit(
      startReplay(tenant, { webhook, input: { from: '2026-02-27', to: '2026-02-28', status: 'failed' }, now: at }).change.writes,
    );
  const begun = () => tasks().at(-1) as unknown as Task;

  test('replay: of two concurrent or successive requests one starts and one gets a conflict', async () => {
    const ends = await Promise.allSettled([start(), start()]);
    deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await rejects(start(), { code: 'CONFLICT' });
    equal(tasks().length, 1);
  });

  test('replay: another one can start after the first has ended', async () => {
    await start();
    await run(begun());
    await start();
    await rejects(start(), { code: 'CONFLICT' });
    table.put({ ...webhook, enabled: false });
    await run(begun());
    table.put(webhook);
    await start();
  });

  test('replay: the lock is held between two parts', async () => {
    await start();
    const [task] = tasks() as unknown as Task[];
    await runReplay(tenant, task!, { until: now, time: clock });
    equal(tasks().length, 2);
    await rejects(start(minutes(10)), { code: 'CONFLICT' });
  });

  test('replay: the lock of a crashed task expires after three hours, and each part extends it', async () => {
    await start();
    const [task] = tasks() as unknown as Task[];
    await runReplay(tenant, task!, { until: minutes(60), time: { now: () => minutes(60) } });
    await rejects(start(minutes(239)), { code: 'CONFLICT' });
    await start(minutes(240));
  });

  test('replay: after another one took over the lock it sends nothing and does not release that lock', async () => {
    const delivery = put(eventAt(new Date('2026-02-28T12:00:00.000Z')), {});
    await start();
    const [old] = tasks() as unknown as Task[];
    await start(minutes(180));
    const clockThen = { now: () => minutes(181) };
    await runReplay(tenant, old!, { until: minutes(190), time: clockThen });
    deepEqual(sent(), []);
    await rejects(start(minutes(182)), { code: 'CONFLICT' });
    await runReplay(tenant, tasks().find(({ walk }) => walk !== old!.walk) as unknown as Task, {
      until: minutes(190),
      time: clockThen,
    });
    deepEqual(sent(), [delivery.id]);
  });
});

describe('replay: request', () => {
  const start = (wish: object = {}, of = webhook) =>
    startReplay(tenant, { webhook: of, input: { from: '2026-02-27', to: '2026-02-28', status: 'failed', ...wish }, now });

  test('replay: dates without a time are whole days in UTC, in the response and in the audit entry', () => {
    const { replay, change } = start();
    const range = { from: '2026-02-27T00:00:00.000Z', to: '2026-02-28T23:59:59.999Z', events: ['*'], status: 'failed' };
    deepEqual(replay, { webhookId: webhook.id, ...range });
    deepEqual(change.audit[0]!.details, { name: webhook.name, ...range });
  });

  test('replay: a range in the future is cut off at the current time', () => {
    equal(start({ to: '2027-01-01' }).replay.to, iso(now));
    const { from, to } = start({ from: '2026-06-01', to: '2027-01-01' }).replay;
    equal(from, to);
  });

  for (const range of [
    { from: '0000-01-01T00:00:00+14:00', to: '2026-01-01' },
    { from: '9999-12-31T23:59:59-14:00', to: '9999-12-31T23:59:59-15:00' },
  ])
    test(`replay: a range from ${range.from} gives a valid response and a valid task`, () => {
      const { replay, change } = start(webhooks.replay.body.parse(range));
      deepEqual(webhooks.replay.data.parse(replay), replay);
      const [task] = change.writes as unknown as [{ put: { message: string } }];
      ok(readTask(task.put.message));
    });

  for (const [name, code, field, wish, of] of [
    ['a range that ends before it begins', 'VALIDATION_ERROR', 'from', { from: '2026-03-01', to: '2026-02-28' }, webhook],
    ['an unknown event name', 'VALIDATION_ERROR', 'events', { events: ['backup.done'] }, webhook],
    ['a disabled webhook', 'CONFLICT', undefined, {}, webhookOf({ enabled: false })],
  ] as const)
    test(`replay: ${name} is refused`, () => {
      const told = { code, ...(field && { details: { field } }) };
      throws(
        () => start(wish, of),
        (error: { code: string; details?: { field: string } }) => {
          deepEqual({ code: error.code, ...(error.details && { details: { field: error.details.field } }) }, told);
          return true;
        },
      );
    });
});

test('replay: a missing delivery is created exactly as matching would have created it', async () => {
  const event = eventAt(minutes(-30));
  put(event);
  await run(taskOf({ status: 'missing' }));
  const made = table.get<WebhookDeliveryRecord>(webhookKey.delivery(tenant, webhook.id, deliveryIdOf(event.id, webhook.id)));
  deepEqual([made?.event.id, made?.attempts, made?.attemptsMax, made?.status], [event.id, 0, 5, 'attempting']);
});
