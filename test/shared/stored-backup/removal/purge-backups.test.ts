/** An organization's backups go with it: rows always, objects only when that was asked for. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { MemoryStore, StorageError } from '../../../../shared/destination/index.ts';
import { workPartition } from '../../../../shared/job/index.ts';
import { type BackupRecord, backupKey, purgeBackups, retentionKey } from '../../../../shared/stored-backup/index.ts';
import { type Input, scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { backupOf, tenant } from '../../../harness/builders/sample-backup.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
type Requests = Record<string, { DeleteRequest: { Key: { pk: { S: string }; sk: { S: string } } } }[]>;
const aws = await scriptAws({
  ...table.script,
  BatchWriteItem: ({ RequestItems }: Input) => {
    for (const { DeleteRequest } of Object.values(RequestItems as Requests).flat())
      table.items.delete(`${DeleteRequest.Key.pk.S}\n${DeleteRequest.Key.sk.S}`);
    return { UnprocessedItems: {} };
  },
});
afterAll(() => aws.stop());

const store = new MemoryStore();
const open = async () => store;
const down = async () => {
  throw new StorageError('unavailable', 'The bucket does not answer.');
};
beforeEach(async () => {
  table.items.clear();
  await store.put('manifest', Buffer.from('x'));
});

const never = new Date('2099-01-01');
const clock = { now: () => new Date('2026-01-01') };
const wish = { deleteBackupData: true, isPatient: true };
const purge = (more: object = {}, door: typeof open = open) =>
  purgeBackups(tenant, { ...wish, deadline: never, clock, ...more }, door);

const put = (more: Partial<BackupRecord> = {}): BackupRecord => {
  const backup = backupOf(more);
  table.put(backup);
  const { id } = backup.storageDestination;
  table.put({ pk: backup.pk, sk: `DESTINATION#${id}`, id, immutable: false });
  table.put({ ...backupKey.archive(tenant, backup.archive.backup, backup.id), backupId: backup.id });
  table.put({ ...backupKey.running(tenant, backup.id), backupId: backup.id });
  table.put({ ...retentionKey(tenant), organizationId: tenant.organizationId, dueAt: '2026-01-01' });
  for (let n = 0; n < 250; n++) table.put({ pk: workPartition(tenant, backup.id), sk: `SHARD#${String(n).padStart(8, '0')}` });
  return backup;
};
const left = () => [...table.items.keys()].filter((name) => !name.includes('DESTINATION#'));

test('purge: records, links, work items and objects are deleted', async () => {
  put();
  put({ status: 'running' });
  equal(await purge(), true);
  deepEqual([left(), store.objects.size], [[], 0]);
});

test('purge: objects stay unless deleteBackupData is set', async () => {
  put();
  equal(await purge({ deleteBackupData: false }), true);
  deepEqual([left(), store.objects.size], [[], 1]);
});

test('purge: shared objects are deleted with their last record', async () => {
  const { archive } = put();
  put({ archive, status: 'completed' });
  equal(await purge(), true);
  equal(store.objects.size, 0);
});

test('purge: objects of a backup that moved to another organization stay', async () => {
  const { archive, path } = put();
  const moved = backupOf({ archive });
  table.put({ ...backupKey.archive(tenant, archive.backup, moved.id), backupId: moved.id, path, movedTo: 'org_x' });
  equal(await purge(), true);
  equal(store.objects.size, 1);
});

test('purge: at the deadline it returns false, and the next run continues', async () => {
  for (let n = 0; n < 3; n++) put();
  let looks = 0;
  const short = { now: () => new Date(looks++ < 1 ? '2026-01-01' : '2026-01-03') };
  equal(await purgeBackups(tenant, { ...wish, deadline: new Date('2026-01-02'), clock: short }, open), false);
  equal(left().filter((name) => name.includes('\nBACKUP#')).length, 2);
  equal(await purge(), true);
  deepEqual(left(), []);
});

test('purge: an unreachable bucket is retried, then given up', async () => {
  const { id } = put();
  await rejects(purge({}, down), { name: 'StorageError' });
  equal(
    left().some((name) => name.endsWith(`BACKUP#${id}`)),
    true,
  );
  equal(await purge({ isPatient: false }, down), true);
  deepEqual(left(), []);
});
