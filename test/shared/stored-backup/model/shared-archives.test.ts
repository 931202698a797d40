/** Who needs the objects of an archive, and when another record of it may be added. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { MemoryStore } from '../../../../shared/destination/index.ts';
import { commit, newId, StaleReadError } from '../../../../shared/platform/index.ts';
import {
  type ArchiveLink,
  type BackupRecord,
  backupKey,
  deleteBackup,
  eraseBackup,
} from '../../../../shared/stored-backup/index.ts';
import { assertArchiveShareable, findOtherOwner, findOwner } from '../../../../shared/stored-backup/model/shared-archives.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { backupOf, now, tenant } from '../../../harness/builders/sample-backup.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
const aws = await scriptAws(table.script);
afterAll(() => aws.stop());
let store = new MemoryStore();
const open = async () => store;

beforeEach(async () => {
  table.items.clear();
  store = new MemoryStore();
  await store.put('manifest', Buffer.from('x'));
});

const linkOf = ({ id, archive }: BackupRecord, more: Partial<ArchiveLink> = {}): ArchiveLink => ({
  ...backupKey.archive(tenant, archive.backup, id),
  backupId: id,
  ...more,
});
const put = async (more: Partial<BackupRecord> = {}): Promise<BackupRecord> => {
  const backup = backupOf(more);
  const { id } = backup.storageDestination;
  const destination = { pk: backup.pk, sk: `DESTINATION#${id}`, id, immutable: false, backupCount: 1 };
  const organization = { pk: backup.pk, sk: 'META', backupCount: 1, storageUsed: 0 };
  await commit([{ put: backup }, { put: linkOf(backup) }, { put: destination }, { put: organization }]);
  return backup;
};
const remove = async (backup: BackupRecord): Promise<void> =>
  commit(deleteBackup(tenant, { backup, child: undefined, now }).writes);
const add = async ({ archive, path }: BackupRecord): Promise<void> => {
  const checks = await assertArchiveShareable(tenant, archive.backup, path);
  if (checks.length > 0) await commit(checks);
};

test('shared archive: objects that are being deleted cannot be imported at that path', async () => {
  const backup = await put();
  await add(backup);
  await remove(backup);
  await rejects(add(backup), { code: 'CONFLICT', message: /being deleted/ });
  await add({ ...backup, path: 'copies/of-it' });
  equal(await findOwner(tenant, backup.archive.backup), undefined);
  await eraseBackup(tenant, { backupId: backup.id, open });
  deepEqual([store.objects.size, table.find('ORG#', 'ARCHIVE#')], [0, []]);
  await add(backup);
});

test('shared archive: a concurrent delete fails the import, at every stage of the deletion', async () => {
  for (const erases of [false, true]) {
    const backup = await put();
    const checks = await assertArchiveShareable(tenant, backup.archive.backup, backup.path);
    await remove(backup);
    if (erases) await eraseBackup(tenant, { backupId: backup.id, open });
    await rejects(commit(checks), StaleReadError);
  }
});

test('shared archive: the objects of two records deleted concurrently are deleted', async () => {
  const backup = await put();
  const twin = await put({ archive: backup.archive, path: backup.path });
  await remove(backup);
  await remove(twin);
  await eraseBackup(tenant, { backupId: backup.id, open });
  equal(store.objects.size, 0);
});

test('shared archive: a moved archive stays shared at its path, and cannot be imported', async () => {
  const backup = await put();
  const moved = linkOf(backupOf({ archive: backup.archive }), { movedTo: newId('organization'), path: backup.path });
  await commit([{ put: moved }]);
  deepEqual(await findOtherOwner(tenant, backup), { record: undefined });
  await rejects(add(backup), { name: 'ArchiveMovedError' });
  await rejects(add({ ...backup, path: 'copies/of-it' }), { name: 'ArchiveMovedError' });
  await remove(backup);
  await eraseBackup(tenant, { backupId: backup.id, open });
  equal(store.objects.size, 1);
  equal(await findOtherOwner(tenant, { ...backup, path: 'copies/of-it' }), undefined);
});

test('shared archive: the folder of an uncompleted or moving backup cannot be imported', async () => {
  for (const status of ['running', 'failed', 'cancelled'] as const)
    await rejects(add(await put({ status })), { code: 'CONFLICT' });
  await rejects(add(await put({ leaving: 'mov_1' })), { code: 'JOB_IN_PROGRESS' });
});
