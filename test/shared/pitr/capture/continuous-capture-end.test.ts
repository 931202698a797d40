/** The end of continuous capture. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, test } from 'vitest';
import { pitrKey } from '../../../../shared/pitr/index.ts';
import { commit } from '../../../../shared/platform/index.ts';
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
