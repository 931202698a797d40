/** Erasures and backups that are built from changes: a leaf that is copied from the base has versions that no index names any more. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { recordKind, streamLeaves } from '../../../../shared/archive/index.ts';
import { changesAfter } from '../../../../shared/pitr/index.ts';
import { type BackupRecord, backupKey, openRawArchive } from '../../../../shared/stored-backup/index.ts';
import { createErasureEnv } from '../../../harness/env/erasure-env.ts';

const t = await createErasureEnv();

const text = (stringValue: string) => ({ note: { stringValue } });
const first = Object.fromEntries(['ada', ...'bcdefghijk'].map((name) => [`users/${name}`, text(name)]));

const start = async (): Promise<void> => {
  await t.startCaptures(first);
  t.pass(1);
  t.deps = { ...t.deps, changes: changesAfter(() => t.runCycle()) };
};

const takeBuilt = async (): Promise<BackupRecord> => {
  const backup = await t.takeBackup();
  deepEqual([backup.status, backup.builtFrom], ['completed', 'changes'], backup.builtFromReason);
  return backup;
};

/** Paths of the documents in the leaves of a backup, also of those that its index does not name. */
const stored = async (backup: BackupRecord): Promise<readonly string[]> => {
  const { archive, close } = await openRawArchive(t.tenant, { backup, deps: t.deps });
  const found = new Set<string>();
  for await (const { leaf } of streamLeaves(archive))
    for (let slot = 0; slot < leaf.count; slot++)
      if (leaf.kind(slot) === recordKind.document) found.add(leaf.name(slot).subarray(archive.documentsRoot.length).toString());
  close();
  return [...found];
};

/** Like retention, once its objects are deleted. */
const remove = ({ id, archive }: BackupRecord): void => {
  t.table.put({ ...t.backupOf(id), status: 'expired' } as never);
  t.table.items.delete(Object.values(backupKey.archive(t.tenant, archive.backup, id)).join('\n'));
};

const statusOf = async (id: string): Promise<string> => {
  await t.assess();
  return t.erasureOf(id).status;
};

test('erasure: a built backup has no bytes of a document that was erased before, but of others that were deleted', async () => {
  for (const isErased of [false, true]) {
    await start();
    if (isErased) await t.erase({ paths: ['users/ada'] });
    await t.put({ 'users/ada': undefined });
    const backup = await takeBuilt();
    equal(backup.documentCount, 10);
    equal((await stored(backup)).includes('users/ada'), !isErased);
  }
});

test('erasure: a built backup has no bytes of a former version that an erased value names', async () => {
  await start();
  await t.erase({ query: { field: 'note', value: 'ada' } });
  await t.put({ 'users/ada': undefined });
  ok(!(await stored(await takeBuilt())).includes('users/ada'));
});

test('erasure: it is not over while a leaf that was copied before it may have the documents; later backups do not delay it', async () => {
  await start();
  await t.put({ 'users/ada': undefined });
  const copied = await takeBuilt();
  ok((await stored(copied)).includes('users/ada'));
  const id = await t.erase({ paths: ['users/ada'] });
  equal(await statusOf(id), 'active');
  equal(t.erasureOf(id).lastHeldBackupId, t.base.id);
  await takeBuilt();
  remove(t.base);
  equal(await statusOf(id), 'active');
  remove(copied);
  equal(await statusOf(id), 'expired');
});
