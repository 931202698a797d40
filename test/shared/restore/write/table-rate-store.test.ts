import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { RateGrant } from '../../../../shared/firestore/index.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { type RestoreRecord, restoreKey } from '../../../../shared/restore/model/record.ts';
import { sharedRateLimiter } from '../../../../shared/restore/write/table-rate-store.ts';
import { createRestoreEnv } from '../../../harness/env/restore-env.ts';
import { VirtualTime } from '../../../harness/time/virtual-time.ts';

const t = await createRestoreEnv();

interface Sent {
  readonly atMs: number;
  readonly writes: number;
}

/** Workers of one job, each with a rate limiter of its own over the same item of the table. */
const startWorkers = (count: number, maxWritesPerSecond?: number) => {
  t.reset();
  const time = new VirtualTime();
  const restore = { id: newId('restore'), maxWritesPerSecond } as RestoreRecord;
  let writes = 0;
  t.table.onWrite = (when) => {
    if (when === 'after') writes += 1;
    return undefined;
  };
  let drawn = 0;
  const limiters = Array.from({ length: count }, () =>
    sharedRateLimiter(t.tenant, restore, {
      ...t.deps,
      clock: { now: () => new Date(time.nowMs) },
      random: () => (++drawn % 10) / 10,
      sleep: (ms) => time.sleep(ms),
    }),
  );
  const sent: Sent[] = [];
  return { time, limiters, sent, restore, tableWrites: () => writes };
};

type Workers = ReturnType<typeof startWorkers>;

const write = async (workers: Workers, n: number, signal: AbortSignal): Promise<RateGrant | undefined> => {
  let last: RateGrant | undefined;
  while (!signal.aborted) {
    last = await workers.limiters[n]!.take(100, signal);
    workers.sent.push({ atMs: workers.time.nowMs, writes: last.writes });
    // A request takes a moment.
    await workers.time.sleep(20);
  }
  return last;
};

/** Virtual time advances in small steps; table calls take no time. */
const pass = async (workers: Workers, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 10) {
    for (let turn = 0; turn < 4; turn++) await new Promise((done) => setImmediate(done));
    await workers.time.pass(10);
  }
};

const within = (sent: readonly Sent[], fromMs: number, toMs: number): number =>
  sent.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).reduce((sum, one) => sum + one.writes, 0);

test('rate limit: workers that share it are together no faster than one, and cost a few table writes per second', async () => {
  const workers = startWorkers(4);
  const end = new AbortController();
  const begunMs = workers.time.nowMs;
  const writers = workers.limiters.map((_, n) => write(workers, n, end.signal));
  await pass(workers, 5_000);
  end.abort();
  const total = within(workers.sent, begunMs, begunMs + 5_000);
  assert.ok(total <= 500 * 6, `${total} writes in 5 s`);
  assert.ok(total >= 500 * 4, `${total} writes in 5 s`);
  assert.ok(workers.tableWrites() <= 60, `${workers.tableWrites()} writes of the table`);
  await pass(workers, 5_000);
  await Promise.all(writers);
});

test('rate limit: maxWritesPerSecond applies to all workers together', async () => {
  const workers = startWorkers(3, 20);
  const end = new AbortController();
  const begunMs = workers.time.nowMs;
  const writers = workers.limiters.map((_, n) => write(workers, n, end.signal));
  await pass(workers, 8_000);
  end.abort();
  const total = within(workers.sent, begunMs, begunMs + 8_000);
  assert.ok(total > 0 && total <= 20 * 10, `${total} writes in 8 s`);
  await pass(workers, 6_000);
  await Promise.all(writers);
});

test('rate limit: an overload that one worker sees slows down all', async () => {
  const workers = startWorkers(2);
  const [one, other] = workers.limiters as [(typeof workers.limiters)[0], (typeof workers.limiters)[0]];
  const taking = one.take(100, undefined);
  await pass(workers, 100);
  await one.exhausted(await taking);
  const state = () =>
    t.table.get<{ state: { slowdowns: number; slowedPerSecond: number } }>(restoreKey.pace(t.tenant, workers.restore.id));
  assert.equal(state()?.state.slowdowns, 1);
  assert.equal(state()?.state.slowedPerSecond, 250);
  const next = other.take(100, undefined);
  await pass(workers, 3_000);
  assert.equal((await next).slowdowns, 1);
  // Two workers report the same overload: it counts once.
  await other.exhausted({ ...(await next), slowdowns: 0 });
  assert.equal(state()?.state.slowdowns, 1);
});

test('rate limit: after a conflict the item is read again, and no grant is lost', async () => {
  const workers = startWorkers(2);
  const grants: RateGrant[] = [];
  for (let n = 0; n < 6; n++) {
    const taking = workers.limiters[n % 2]!.take(50, undefined);
    await pass(workers, 200);
    grants.push(await taking);
  }
  // 50 writes are 100 ms of 500 a second, one after the other.
  for (const [n, { fromMs }] of grants.entries()) if (n > 0) assert.ok(fromMs >= grants[n - 1]!.fromMs + 100);
});
