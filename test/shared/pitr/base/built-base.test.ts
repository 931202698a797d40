/** The bases of captures: built from the last one and the changes since, and read from the source where that could hide something. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { changesAfter, type PitrRecord } from '../../../../shared/pitr/index.ts';
import { after, iso } from '../../../../shared/platform/index.ts';
import { type BackupRecord, backupKey } from '../../../../shared/stored-backup/index.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

const captured = async (): Promise<CaptureEnv> => {
  const t = await createActiveCapture({ 'users/a': '1', 'users/b': '1', 'users/b/notes/n': '1' });
  const runAsked = async (): Promise<void> => {
    t.pass(1);
    if (Date.parse(t.pitr.nextTurnAt ?? '') <= t.nowMs) await t.runCycle();
  };
  t.deps = { ...t.deps, changes: changesAfter(runAsked) };
  t.pass(1);
  await t.put({ 'users/a': '2', 'users/b': null, 'users/c': '1' });
  return t;
};

/** Makes a new base due, as after a day or very many changes, and returns it with its backup. */
const refresh = async (t: CaptureEnv, changed: Partial<PitrRecord> = {}) => {
  t.table.put({ ...t.pitr, bytesSinceBase: 1 << 30, ...changed });
  await t.runNextCycle();
  await t.runRequestedBase();
  await t.runNextCycle();
  const base = t.pitr.bases.at(-1)!;
  return { base, backup: t.table.get<BackupRecord>(backupKey.backup(t.tenant, base.backupId))! };
};

test('base: it is built from the last one and the changes since, reads nothing, and says since when its documents were read', async () => {
  const t = await captured();
  const [first] = t.pitr.bases;
  const { checkedAt } = t.pitr;
  const { base, backup } = await refresh(t);
  deepEqual([t.pitr.bases.length, base.builtFrom, base.auditedSince], [2, 'changes', first?.readTime]);
  deepEqual([backup.builtFrom, backup.reads, backup.documentCount, backup.trigger], ['changes', 1, 3, 'pitr-base']);
  equal(checkedAt !== undefined && checkedAt <= t.pitr.checkedAt!, true);
  await t.put({ 'users/a': '3', 'users/d': '1' });
  const second = await refresh(t);
  deepEqual([second.base.builtFrom, second.base.auditedSince], ['changes', first?.readTime]);
  equal(second.backup.buildBase?.backupId, base.backupId);
  // Every moment is restored from the newest base before it: built ones, too.
  await t.assertExact();
});

test('base: it is read again when a document of the one before had not been read for auditDays', async () => {
  const t = await captured();
  const day = 24 * 3_600;
  const old = (days: number): Partial<PitrRecord> => ({
    auditDays: 7,
    bases: t.pitr.bases.map((one) => {
      const auditedSince = iso(after(new Date(one.readTime), -days * day));
      return { ...one, builtFrom: 'changes' as const, auditedSince };
    }),
  });
  equal((await refresh(t, old(7.1))).base.builtFrom, 'changes');
  await t.put({ 'users/d': '1' });
  const { base, backup } = await refresh(t, old(7.3));
  deepEqual([base.builtFrom, base.auditedSince, backup.builtFrom], [undefined, undefined, 'source']);
});

test('base: after a difference or damage a built backup is not adopted, but the source is read at once', async () => {
  for (const fault of ['difference', 'damage'] as const) {
    const t = await captured();
    const built = await t.takeBackup();
    equal(built.builtFrom, 'changes');
    const isDamaged = fault === 'damage' ? { bases: t.pitr.bases.map((one) => ({ ...one, isDamaged: true as const })) } : {};
    t.table.put({ ...t.pitr, ...(fault === 'difference' && { mustReadBase: true as const }), ...isDamaged });
    await t.runNextCycle();
    await t.runRequestedBase();
    await t.runNextCycle();
    const base = t.pitr.bases.at(-1)!;
    const backup = t.table.get<BackupRecord>(backupKey.backup(t.tenant, base.backupId))!;
    deepEqual([t.pitr.bases.length, backup.builtFrom, t.pitr.mustReadBase], [2, 'source', undefined], fault);
  }
});

test('base: one that cannot be built reads the source, and its backup says why', async () => {
  const t = await captured();
  await t.runNextCycle();
  const [batch] = t.batches;
  t.folder(batch!.path).objects.clear();
  const { base, backup } = await refresh(t);
  deepEqual([base.builtFrom, backup.builtFrom], [undefined, 'source']);
  match(backup.builtFromReason ?? '', new RegExp(batch!.path));
});
