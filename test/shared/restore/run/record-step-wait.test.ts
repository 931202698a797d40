/** A restore gives up an object that never answers, also while everything else does. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { withoutWait } from '../../../../shared/job/index.ts';
import { backUpShop } from '../../../harness/builders/sample-shop.ts';
import { createRestoreEnv } from '../../../harness/env/restore-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

const t = await createRestoreEnv();

for (const [state, since] of [
  ['others get answers', undefined],
  ['the record shows a lack of quota', '2026-03-01T10:00:00.000Z'],
] as const)
  test(`waiting: a shard whose object fails for 30 minutes ends the restore, although ${state}`, async () => {
    const backup = await backUpShop(t);
    const begunMs = Date.parse('2026-03-01T10:00:00.000Z');
    let minutes = 0;
    t.nowMs = () => begunMs + minutes * 60_000;
    const problem = 'The store did not answer.';
    t.wrapStore = (store) => ({
      ...bound(store),
      get: (name, extent, signal) => {
        if (name !== 'chunk/00000001-0000') return store.get(name, extent, signal);
        minutes += 3;
        return Promise.reject(new StorageError('unavailable', problem));
      },
    });
    const id = await t.startRestore(backup);
    const shown = new Set<unknown>();
    const { status, error, phase } = await t.runRestore(id, {
      triesMax: 100,
      onStep: () => {
        const restore = t.restoreOf(id);
        if (restore.waitingFor) shown.add(restore.waitingFor.reason);
        // What the heartbeat of another worker leaves behind.
        t.table.put({ ...withoutWait(restore), ...(since && { waitingFor: { reason: 'quota', since } }) });
      },
    });
    deepEqual(
      [status, phase, error?.code, error?.details?.reason],
      ['failed', 'Validating', 'STORAGE_READ_ERROR', 'unavailable'],
    );
    equal(error?.message, `The bucket has refused the same work for 30 minutes: ${problem}`);
    ok(shown.has('storage'), 'an outage replaces a lack of quota');
    equal(minutes, 33, 'not later than that');
  });
