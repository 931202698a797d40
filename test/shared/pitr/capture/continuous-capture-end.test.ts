/** The end of continuous capture. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, test } from 'vitest';
import { pitrKey } from '../../../../shared/pitr/index.ts';
import { commit } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { begun, disable, projectId, put, server, tenant, time, uploads } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(() => server.stop());

test('continuous capture: stops soon after it is disabled, before the cycle would end', async () => {
  const world = await begun({ 'users/ada': '1' }, { captureIntervalSeconds: 240 });
  let disabledMs = Number.POSITIVE_INFINITY;
  const happens = async (second: number) => {
    if (second !== 30) return;
    await disable();
    disabledMs = time.ms;
  };
  const enqueued = await listen(world, { seconds: 600, happens });
  assert.ok(time.ms - disabledMs <= 25_000, `left after ${time.ms - disabledMs} ms`);
  assert.equal(enqueued.length, 1);
});

test('continuous capture: stores and records nothing after the project and its captures are deleted', async () => {
  const world = await begun({ 'users/ada': '1' }, { captureIntervalSeconds: 240 });
  const folders = world.folders.size;
  await listen(world, {
    seconds: 600,
    happens: async (second) => {
      if (second === 2) {
        const gone = [projectKey.project(tenant, projectId), pitrKey.pitr(tenant, projectId), pitrKey.tokens(tenant, projectId)];
        await commit(gone.map((remove) => ({ remove })));
      }
      if (second > 2 && second < 8) await put(world, { [`users/${second}`]: randomBytes(450_000).toString('hex') });
    },
  });
  assert.deepEqual([uploads(), world.folders.size], [0, folders]);
});
