/** What a deleted backup leaves behind: nothing of its own, and everything of others. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { MemoryStore, StorageError } from '../../../../shared/destination/index.ts';
import type { StorageErrorCode } from '../../../../shared/destination/store/object-store.ts';
import { get, newId } from '../../../../shared/platform/index.ts';
import { type BackupRecord, backupKey, eraseBackup, findDependentBackup } from '../../../../shared/stored-backup/index.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { backupOf, tenant } from '../../../harness/builders/sample-backup.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
const aws = await scriptAws(table.script);
afterAll(() => aws.stop());
let store = new MemoryStore();
let paths: string[] = [];
const open = async (_tenant: unknown, _destination: unknown, path: string) => {
  paths.push(path);
  return store;
};
const names = () => [...store.objects.keys()].sort();

const own = ['key', 'manifest', 'chunk/00000000-0000', 'chunk/00000012-0003', 'index/00000000-0000'];
/** Whatever else a customer keeps below the folder. */
const others = ['notes.txt', 'prj_x/bkp_y/manifest', 'chunk/mine', 'manifest.bak'];
beforeEach(async () => {
  table.items.clear();
  store = new MemoryStore();
  paths = [];
  for (const name of [...own, ...others]) await store.put(name, Buffer.from(name));
  store.upload('chunk/00000001-0000');
});

const put = (more: Partial<BackupRecord>, destination: object = {}): BackupRecord => {
  const backup = backupOf({ status: 'deleted', ...more });
  table.put(backup);
  const { id } = backup.storageDestination;
  table.put({ pk: backup.pk, sk: `DESTINATION#${id}`, id, immutable: false, ...destination });
  return backup;
};

for (const status of ['deleted', 'expired'] as const)
  test(`delete objects: exactly the objects of a backup that is ${status} are deleted, idempotently`, async () => {
    const { id, path } = put({ status });
    await eraseBackup(tenant, { backupId: id, open });
    deepEqual([paths, names()], [[path], others.sort()]);
    equal(await store.abortUnfinishedUploads(''), 0);
    await eraseBackup(tenant, { backupId: id, open });
    deepEqual(names(), others.sort());
  });

test('delete objects: more objects than fit one call are all deleted', async () => {
  for (let n = 0; n < 1_500; n++) await store.put(`index/${String(n).padStart(8, '0')}-0001`, Buffer.from('x'));
  await eraseBackup(tenant, { backupId: put({}).id, open });
  deepEqual(names(), others.sort());
});

for (const status of ['completed', 'running', 'failed'] as const)
  test(`delete objects: a backup that is ${status} is left alone`, async () => {
    await eraseBackup(tenant, { backupId: put({ status }).id, open });
    deepEqual(paths, []);
  });

test('delete objects: shared objects stay until their last record is deleted', async () => {
  const { id, archive } = put({});
  const twin = newId('backup');
  table.put({ ...backupKey.archive(tenant, archive.backup, twin), backupId: twin });
  await eraseBackup(tenant, { backupId: id, open });
  deepEqual(paths, []);
  table.items.delete(`ORG#${tenant.organizationId}\nARCHIVE#${archive.backup}#${twin}`);
  await eraseBackup(tenant, { backupId: id, open });
  deepEqual(names(), others.sort());
});

test('delete objects: a copy of the archive at another path has its own objects', async () => {
  const { id, archive, path } = put({});
  const copy = put({ status: 'completed', archive, path: 'copies/of-it' });
  table.put({ ...backupKey.archive(tenant, archive.backup, copy.id), backupId: copy.id });
  await eraseBackup(tenant, { backupId: id, open });
  deepEqual([paths, names()], [[path], others.sort()]);
  paths = [];
  table.put({ ...copy, path });
  await eraseBackup(tenant, { backupId: id, open });
  deepEqual(paths, []);
});

test('delete objects: nothing is tried in an immutable or deleted destination', async () => {
  const linked = (backup: BackupRecord): BackupRecord => {
    table.put({ ...backupKey.archive(tenant, backup.archive.backup, backup.id), backupId: backup.id });
    return backup;
  };
  const locked = linked(put({}, { immutable: true }));
  // A task may come twice.
  for (const _ of [1, 2]) await eraseBackup(tenant, { backupId: locked.id, open });
  const lost = linked(put({}));
  table.items.delete(`ORG#${tenant.organizationId}\nDESTINATION#${lost.storageDestination.id}`);
  await eraseBackup(tenant, { backupId: lost.id, open });
  deepEqual(paths, []);
  // The customer is told, once, what stays in their bucket and why.
  const kept = [...table.items.values()]
    .map((item) => JSON.stringify(item))
    .filter((item) => item.includes('backup.objects_kept'));
  equal(kept.length, 2);
  deepEqual(
    ['is immutable', 'was deleted'].map((word) => kept.some((item) => item.includes(`The storage destination ${word}`))),
    [true, true],
  );
});

const refusing = (code: StorageErrorCode) => async () => {
  throw new StorageError(code, 'no');
};

test('delete objects: a record that says why its objects stay no longer says it once they are deleted', async () => {
  const kept = put({ objectsKept: { reason: 'Another backup shares them', since: '2026-01-01T00:00:00.000Z' } });
  table.put({ ...backupKey.archive(tenant, kept.archive.backup, kept.id), backupId: kept.id });
  const reasonOf = async () => (await get(backupKey.backup(tenant, kept.id)))?.objectsKept?.reason;
  await eraseBackup(tenant, { backupId: kept.id, open: refusing('denied') });
  equal(await reasonOf(), 'no');
  await eraseBackup(tenant, { backupId: kept.id, open });
  deepEqual([names(), await reasonOf()], [others.sort(), undefined]);
});

test('delete objects: an unreachable bucket is retried, a refusal is not', async () => {
  const { id } = put({});
  await rejects(eraseBackup(tenant, { backupId: id, open: refusing('unavailable') }), { name: 'StorageError' });
  for (const code of ['denied', 'missing', 'invalid'] as const) await eraseBackup(tenant, { backupId: id, open: refusing(code) });
});

test('delete: a completed backup that depends on another is its child', async () => {
  const parent = put({ status: 'completed' });
  const child = (status: BackupRecord['status']) => put({ status, type: 'incremental', needs: [parent.archive.backup] });
  for (const status of ['deleted', 'expired', 'failed', 'cancelled'] as const) child(status);
  equal(await findDependentBackup(tenant, parent), undefined);
  const { id } = child('completed');
  equal((await findDependentBackup(tenant, parent))?.id, id);
});

test('delete objects: after an abort the task is repeated; the manifest is deleted first', async () => {
  const { id } = put({});
  const over = new AbortController();
  const remove = store.remove.bind(store);
  store.remove = async (list) => {
    await remove(list);
    over.abort(new Error('out of time'));
  };
  await rejects(eraseBackup(tenant, { backupId: id, open, signal: over.signal }), /out of time/);
  deepEqual(names(), [...own, ...others].filter((name) => name !== 'manifest').sort());
});
