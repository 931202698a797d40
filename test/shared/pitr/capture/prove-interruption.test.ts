/** What is proven at past moments, within the reads that are allowed for it. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { microsOf, momentOf, pitrData, planPoint } from '../../../../shared/pitr/index.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

/** A source that runs the work before its first call of the method. */
const beforeCall = (t: CaptureEnv, method: string, work: () => Promise<void>): CaptureEnv['deps'] => {
  let isDone = false;
  return {
    ...t.deps,
    openSource: (...all) => {
      const source = t.deps.openSource(...all);
      const call = source.call.bind(source);
      source.call = async (called, ...rest) => {
        if (called === method && !isDone) {
          isDone = true;
          await work();
        }
        return call(called, ...rest);
      };
      return source;
    },
  };
};

test('interruption: the end of a cycle is proven for a collection that was heard only after it', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' });
  t.pass(5);
  await t.runNextCycle();
  // Between two whole seconds, when the cycle is due.
  t.nowMs = Math.ceil(t.nowMs / 1_000) * 1_000 + 60_200;
  await t.put({ 'fresh/stays': '0', 'fresh/goes': '0' });
  // The new root collection is counted before it is listened to.
  const deps = beforeCall(t, 'RunAggregationQuery', async () => {
    t.pass(0.1);
    await t.put({ 'fresh/goes': null });
    t.pass(0.1);
  });
  await t.runNextCycle(deps);
  const end = t.pitr.capturedTo!;
  assert.ok(t.truthAt(microsOf(end)).has('fresh/goes'));
  // The next cycle cannot look up every second: a moment within it is restored as of the end before.
  t.table.put({ ...t.pitr, lookups: { since: t.now.toISOString(), reads: 10_000, spentAt: t.now.toISOString() } });
  t.pass(5);
  await t.put({ 'users/ada': '1' });
  t.pass(5);
  await t.runNextCycle();
  const asked = momentOf(Math.ceil(microsOf(end) / 1_000_000 + 1) * 1_000_000);
  const { point } = await planPoint(t.tenant, { projectId: t.projectId, request: { pointInTime: asked }, now: t.now });
  assert.equal(point.moment, end);
  await t.assertExact([microsOf(end)]);
});

/** A project whose changes since the base are so many that every cycle wants another one. */
const createOverdueCapture = async (captureIntervalSeconds: number): Promise<CaptureEnv> => {
  const t = await createActiveCapture({ 'users/ada': '0' }, { precision: 'interval', captureIntervalSeconds });
  t.pass(5);
  await t.runNextCycle();
  t.table.put({ ...t.pitr, bytesSinceBase: 1 << 30 });
  return t;
};

test('interruption: the read time of a requested base is proven although the reads of the hour are spent', async () => {
  const t = await createOverdueCapture(60);
  await t.runNextCycle();
  assert.notEqual(t.pitr.comingBaseId, null);
  t.pass(1);
  await t.put({ 'users/brief': '0' });
  t.pass(1);
  await t.runRequestedBase();
  t.pass(1);
  await t.put({ 'users/brief': null });
  const pastReads = { since: t.now.toISOString(), reads: 60_000 };
  t.table.put({ ...t.pitr, pastReads });
  await t.runNextCycle();
  await t.runNextCycle();
  assert.deepEqual([t.pitr.bases.length, t.pitr.pastReads, pitrData(t.pitr, t.now).problem], [2, pastReads, null]);
  await t.assertExact([microsOf(t.pitr.capturedTo!)]);
});

test('interruption: a source that does not count is read less and less often for a base, and the problem is shown', async () => {
  const t = await createOverdueCapture(2_400);
  t.server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 1_000_000 });
  const made = new Set<string>();
  for (const endMs = t.nowMs + 10 * 24 * 3_600_000; t.nowMs < endMs; ) {
    await t.put({ 'users/ada': `${t.nowMs}` });
    await t.runNextCycle();
    if (t.pitr.comingBaseId !== null) made.add(t.pitr.comingBaseId);
    t.pass(1);
    await t.runRequestedBase();
  }
  t.server.faults.clear();
  assert.ok(made.size > 1 && made.size <= 15, `${made.size} bases in ten days`);
  assert.equal(t.pitr.bases.length, 1);
  assert.match(
    pitrData(t.pitr, t.now).problem ?? '',
    /cannot be used: it was read between two captures.* not started before 2030-/,
  );
  // The source counts again: a backup made by anyone becomes the base.
  await t.runFullBackup();
  t.pass(1);
  await t.runNextCycle();
  await t.runNextCycle();
  assert.deepEqual([t.pitr.bases.length, t.pitr.unprovenBase, pitrData(t.pitr, t.now).problem], [2, undefined, null]);
});
