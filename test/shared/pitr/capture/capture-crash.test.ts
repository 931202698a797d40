/** A worker crashes before or after each effect: the next one captures everything once, and an orphaned upload is recorded. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { crashCapture } from '../../../harness/faults/crash-capture.ts';
import { CrashInjector } from '../../../harness/faults/crash-injector.ts';

afterAll(stopCaptureEnv);

/** One cycle with changes on a worker that crashes; another one continues. */
const surviving = async (mortal: CrashInjector): Promise<CaptureEnv> => {
  const t = await createActiveCapture({ 'users/ada': '0', 'users/bob': '0' });
  t.pass(2);
  await t.put({ 'users/ada': '1' });
  t.pass(2);
  await t.put({ 'users/ada': '2', 'users/bob': null });
  t.pass(2);
  const due = t.pitr.turn;
  crashCapture(t, mortal);
  await t.runNextCycle().catch(() => undefined);
  crashCapture(t, new CrashInjector());
  if (t.pitr.turn === due) await t.runNextCycle();
  t.pass(2);
  await t.put({ 'users/ada': '3' });
  t.pass(2);
  await t.runNextCycle();
  return t;
};

const counting = new CrashInjector();
const whole = await surviving(counting);
const { changesCaptured } = whole.pitr;

test('capture crash: a cycle has at least three effects', () => assert.ok(counting.effects >= 3));

for (const when of ['before', 'after'] as const)
  for (let at = 1; at <= counting.effects; at++)
    test(`capture crash: ${when} effect ${at}, every second is known, every change is stored once, and orphans are recorded`, async () => {
      const t = await surviving(new CrashInjector(at, when));
      assert.deepEqual([t.pitr.changesCaptured, t.batches.length, t.pitr.gaps], [changesCaptured, 2, []]);
      await t.assertExact();
      const orphans = [...t.folders].filter(
        ([path, store]) => path.includes('/pitr/') && store.objects.size > 0 && !t.batches.some((batch) => batch.path === path),
      );
      assert.ok(orphans.length <= t.uploads, 'an object that nothing leads to');
      t.pass(2 * 3_600);
      await t.expire();
      assert.equal(t.uploads, 0);
      for (const [path, store] of orphans) assert.equal(store.objects.size, 0, path);
      for await (const { leaf } of t.readBatches()) assert.ok(leaf.count > 0);
    });
