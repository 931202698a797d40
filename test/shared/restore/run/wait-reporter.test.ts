/** A restore that makes no progress shows what it waits for. */
import { deepEqual, equal } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { MemoryStore } from '../../../../shared/destination/index.ts';
import { Availability } from '../../../../shared/firestore/grpc/availability.ts';
import { StoreCalls } from '../../../../shared/job/index.ts';
import type { RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
import { restoreData } from '../../../../shared/restore/model/restore-view.ts';
import { WaitReporter } from '../../../../shared/restore/run/wait-reporter.ts';
import {
  organization,
  source as project,
  putBackup,
  putRestore,
  resetTable,
  table,
  target,
  tenant,
} from '../../../harness/builders/sample-restore.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

const startMs = Date.parse('2026-03-01T10:00:00.000Z');
let nowMs: number;
let id: string;
let availability: Availability;
let calls: StoreCalls;
const clock = { now: () => new Date(nowMs) };
const newReporter = () =>
  new WaitReporter({ context: { tenant, organization, project, target }, database: availability, calls, clock });
let reporter: WaitReporter;
const restoreNow = () => table.get<RestoreRecord>(restoreKey.restore(tenant, id))!;
beforeEach(() => {
  resetTable();
  nowMs = startMs;
  id = putRestore(putBackup(), { status: 'running', phase: 'Restoring' }).id;
  availability = new Availability();
  calls = new StoreCalls(clock);
  reporter = newReporter();
});

/** One heartbeat after some seconds. */
const beat = async (seconds: number, by = reporter) => {
  nowMs += seconds * 1_000;
  await by.observe(restoreNow());
  return restoreNow().waitingFor;
};
const events = () =>
  table
    .find(`ORG#${tenant.organizationId}`, 'EVENT#')
    .map((event) => event as unknown as { type: string; data: { restore: { waitingFor: unknown } } });

test('waiting: an exhausted quota is shown after 10 s, with one event, and removed once calls succeed', async () => {
  availability.failed({ isExhausted: true });
  equal(await beat(2), undefined);
  equal(await beat(8), undefined);
  const wait = { reason: 'quota', since: '2026-03-01T10:00:02.000Z' };
  deepEqual(await beat(2), wait);
  deepEqual(await beat(60), wait);
  const shown = { ...wait, attempts: 0, problem: null, givesUpAt: '2026-03-01T16:00:02.000Z' };
  deepEqual(
    events().map(({ type, data }) => ({ type, waitingFor: data.restore.waitingFor })),
    [{ type: 'restore.progress', waitingFor: shown }],
  );
  deepEqual(restoreData(restoreNow()).waitingFor, shown);
  availability.succeeded();
  equal(await beat(2), undefined);
  equal(restoreData(restoreNow()).waitingFor, null);
});

test('waiting: a call of a bucket that does not return is shown since it began', async () => {
  let answer: (bytes: Uint8Array) => void = () => undefined;
  const store = calls.watch({
    ...bound(new MemoryStore()),
    get: () =>
      new Promise<Uint8Array>((resolve) => {
        answer = resolve;
      }),
  });
  const reading = store.get('manifest');
  equal(await beat(8), undefined);
  deepEqual(await beat(4), { reason: 'storage', since: '2026-03-01T10:00:00.000Z' });
  availability.succeeded();
  equal((await beat(2))?.reason, 'storage', 'an answer of the target does not end it');
  answer(new Uint8Array());
  await reading;
  equal(await beat(2), undefined);
});

test('waiting: it is not shown while other workers make progress', async () => {
  availability.failed({ isExhausted: false });
  for (let written = 1; written <= 10; written++) {
    equal(await beat(5), undefined);
    table.put({ ...restoreNow(), written });
  }
  const other = new Availability();
  const unhindered = new WaitReporter({
    context: { tenant, organization, project, target },
    database: other,
    calls: new StoreCalls(clock),
    clock,
  });
  await beat(2);
  equal((await beat(12))?.reason, 'database');
  other.succeeded();
  equal(await beat(1, unhindered), undefined);
  equal(await beat(20), undefined, 'another worker has just made progress');
  equal((await beat(12))?.reason, 'database');
  equal(events().length, 1, 'one event in 5 minutes');
});

test('waiting: a restore that has ended does not wait', () => {
  const waitingFor = { reason: 'quota', since: '2026-03-01T10:00:02.000Z' } as const;
  for (const status of ['failed', 'cancelled', 'completed'] as const)
    equal(restoreData({ ...restoreNow(), waitingFor, status }).waitingFor, null);
});
