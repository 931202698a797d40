/** A moment needs its base and all batches since: their locks stay ahead of the window. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import { type CaptureEnv, createCaptureEnv, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

afterAll(stopCaptureEnv);

const dayMs = 24 * 3_600_000;

const captured = async (days: number | null): Promise<CaptureEnv> => {
  const t = await createCaptureEnv();
  const key = organizationKey.storageDestination(t.tenant, t.destinationId);
  t.table.put({ ...t.table.get(key)!, objectLock: days === null ? null : { mode: 'compliance', days } });
  await t.put({ 'users/ada': '0' });
  t.pass(5.4);
  await t.enable({ retentionDays: 7, precision: 'interval', captureIntervalSeconds: 1_800 });
  await t.untilActive();
  await t.put({ 'users/ada': '1' });
  await t.runNextCycle();
  return t;
};

/** The locks of the base and of the batches, as days from now. */
const daysLocked = (t: CaptureEnv) => {
  const [base] = t.pitr.bases;
  const { path } = t.table.get(backupKey.backup(t.tenant, base!.backupId)) as { path: string };
  const locks = [path, ...t.batches.map((batch) => batch.path)].flatMap((folder) => {
    const { objects, locks: ends } = t.folders.get(folder)!;
    return [...objects.keys()].map((name) => ends.get(name)?.getTime() ?? 0);
  });
  return { objects: locks.length, least: (Math.min(...locks) - t.nowMs) / dayMs };
};

test('capture locks: base and batches are locked for the window, and are extended as it moves on', async () => {
  const t = await captured(1);
  ok(t.batches.length > 0);
  await t.expire();
  const before = daysLocked(t);
  ok(before.objects >= 5 && before.least >= 7 + 2, JSON.stringify(before));
  equal(t.pitr.lockProblem, undefined);
  t.pass(2 * 24 * 3_600);
  await t.expire();
  ok(daysLocked(t).least >= 7 + 2, JSON.stringify(daysLocked(t)));
});

test('capture locks: all batches are reached through the folder that they share, which is opened and so listed once', async () => {
  const t = await captured(1);
  for (const text of ['2', '3']) {
    await t.put({ 'users/ada': text });
    await t.runNextCycle();
  }
  t.opened.length = 0;
  await t.expire();
  const paths = new Set(t.batches.map(({ path }) => path));
  ok(paths.size >= 3, `${paths.size} batches`);
  const parents = new Set([...paths].map((path) => path.slice(0, path.lastIndexOf('/'))));
  deepEqual(
    t.opened.filter((path) => paths.has(path) || parents.has(path)),
    [...parents],
  );
});

test('capture locks: a batch is locked at least as long as the base it builds on', async () => {
  const t = await captured(30);
  const [batch] = t.batches;
  const [base] = t.pitr.bases;
  const { lockedUntil } = t.table.get(backupKey.backup(t.tenant, base!.backupId)) as { lockedUntil: string };
  ok(t.folders.get(batch!.path)!.locks.get(batch!.chunk.name)!.toISOString() >= lockedUntil);
});

test('capture locks: a store that refuses is shown and audited once, and tried again', async () => {
  const t = await captured(1);
  t.wrap = (store) => ({
    ...bound(store),
    extendLock: async (_name, state, { until }) => {
      if (state.lockedUntil !== undefined && state.lockedUntil >= until) return state.lockedUntil;
      throw new StorageError('denied', 'The store refused to extend the lock of an object (403).');
    },
  });
  for (const _ of [1, 2]) await t.expire();
  ok(/ends earlier than its own: The store refused/.test(t.pitr.lockProblem ?? ''));
  deepEqual([t.audited('pitr.lock_incomplete').length, t.pitr.lockedBases], [1, {}]);
  t.wrap = (store) => store;
  await t.expire();
  deepEqual([t.pitr.lockProblem, daysLocked(t).least >= 9], [undefined, true]);
});

test('capture locks: a batch that is gone is shown, not counted as locked', async () => {
  const t = await captured(1);
  const [{ path, chunk } = { path: '', chunk: { name: '' } }] = t.batches;
  ok(t.folders.get(path)!.objects.delete(chunk.name));
  await t.expire();
  ok(/reports no lock of one object/.test(t.pitr.lockProblem ?? ''), t.pitr.lockProblem);
  deepEqual([t.audited('pitr.lock_incomplete').length, t.pitr.lockedBases], [1, {}]);
});

test('capture locks: without object lock nothing is locked', async () => {
  const t = await captured(null);
  await t.expire();
  for (const { locks } of t.folders.values()) equal(locks.size, 0);
});
