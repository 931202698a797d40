/** What is proven at past moments, within the reads that are allowed for it. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { microsOf, momentOf, planPoint } from '../../../../shared/pitr/index.ts';
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
  const { point } = await planPoint(t.tenant, t.projectId, { pointInTime: asked }, t.now);
  assert.equal(point.moment, end);
  await t.assertExact([microsOf(end)]);
});
