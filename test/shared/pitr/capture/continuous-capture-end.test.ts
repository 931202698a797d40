/** The end of continuous capture. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, onTestFinished, test } from 'vitest';
import { microsOf, pitrKey, type QueuedCycle } from '../../../../shared/pitr/index.ts';
import { commit, iso, set } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(stopCaptureEnv);

test('continuous capture: stops soon after it is disabled, before the cycle would end', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' }, { captureIntervalSeconds: 240 });
  let disabledMs = Number.POSITIVE_INFINITY;
  const happens = async (second: number) => {
    if (second !== 30) return;
    await t.disable();
    disabledMs = t.nowMs;
  };
  const enqueued = await listen(t, { seconds: 600, happens });
  assert.ok(t.nowMs - disabledMs <= 25_000, `left after ${t.nowMs - disabledMs} ms`);
  assert.equal(enqueued.length, 1);
});

test('continuous capture: stores and records nothing after the project and its captures are deleted', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' }, { captureIntervalSeconds: 240 });
  const folders = t.folders.size;
  await listen(t, {
    seconds: 600,
    happens: async (second) => {
      if (second === 2) {
        const gone = [
          projectKey.project(t.tenant, t.projectId),
          pitrKey.pitr(t.tenant, t.projectId),
          pitrKey.tokens(t.tenant, t.projectId),
        ];
        await commit(gone.map((remove) => ({ remove })));
      }
      if (second > 2 && second < 8) await t.put({ [`users/${second}`]: randomBytes(450_000).toString('hex') });
    },
  });
  assert.deepEqual([t.uploads, t.folders.size], [0, folders]);
});

for (const hurriedAt of [[65], [65, 80], [115]])
  test(`continuous capture: backups that end the last cycle at second ${hurriedAt} leave no time in which no worker listens`, async () => {
    const t = await createActiveCapture({ 'users/ada': '1' });
    const waiting: { readonly task: QueuedCycle; readonly atMs: number }[] = [];
    const successors: Promise<readonly QueuedCycle[]>[] = [];
    const stop = new AbortController();
    // None of them may go on in the next test.
    onTestFinished(async () => {
      stop.abort();
      await Promise.allSettled(successors);
    });
    const happens = async (second: number) => {
      await t.put({ [`users/brief-${second}`]: 'x' });
      t.pass(0.1);
      await t.put({ [`users/brief-${second}`]: null });
      // What a backup that waits for a capture does.
      if (hurriedAt.includes(second)) await commit([set(pitrKey.pitr(t.tenant, t.projectId), { nextTurnAt: iso(t.now) })]);
      for (const { task } of waiting.splice(0).filter((one) => one.atMs <= t.nowMs || !waiting.push(one)))
        successors.push(listen(t, { ...task, seconds: 70, onEnqueue, signal: stop.signal }));
    };
    const onEnqueue = (task: QueuedCycle): void => {
      if (task.isHandover) waiting.push({ task, atMs: t.nowMs + task.delaySeconds * 1_000 });
    };
    const enqueued = await listen(t, { seconds: 130, happens, onEnqueue });
    assert.ok(enqueued.some(({ isHandover }) => isHandover));
    const { turn } = t.pitr;
    for (let passed = 0; t.pitr.turn === turn && passed < 100; passed++) {
      t.pass(1);
      await happens(1_000 + passed);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.ok(t.pitr.turn > turn, 'no worker went on');
    // The first period is that before captures began.
    assert.equal(t.pitr.interrupted?.length, 1);
    assert.ok(t.nowMs * 1_000 - microsOf(t.pitr.capturedTo!) < 65_000_000);
    await t.assertExact();
  });
