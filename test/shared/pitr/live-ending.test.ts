/** A project that is listened to all the time, and is not to be any more. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, test } from 'vitest';
import { pitrKey } from '../../../shared/pitr/index.ts';
import { commit } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import { begun, disable, projectId, put, server, tenant, time, uploads } from '../../harness/env/capture-env.ts';
import { listening } from '../../harness/env/continuous-capture-env.ts';

afterAll(() => server.stop());

test('what is disabled is not listened to until the turn would have been over', async () => {
  const world = await begun({ 'users/ada': '1' }, { captureIntervalSeconds: 240 });
  let disabledMs = Number.POSITIVE_INFINITY;
  const happens = async (second: number) => {
    if (second !== 30) return;
    await disable();
    disabledMs = time.ms;
  };
  const arranged = await listening(world, { seconds: 600, happens });
  assert.ok(time.ms - disabledMs <= 25_000, `left after ${time.ms - disabledMs} ms`);
  assert.equal(arranged.length, 1);
});

test('of a project that is gone with all its captures nothing is stored any more, nor noted', async () => {
  const world = await begun({ 'users/ada': '1' }, { captureIntervalSeconds: 240 });
  const folders = world.folders.size;
  await listening(world, {
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
