/** The restores of an organization are purged with it: records always, stored objects only on request. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { MemoryStore, StorageError } from '../../../../shared/destination/index.ts';
import { workPartition } from '../../../../shared/job/index.ts';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { purgeRestores } from '../../../../shared/restore/end/purge-restores.ts';
import { type RestoreRecord, restoreKey } from '../../../../shared/restore/model/record.ts';
import { type Input, scriptAws } from '../../../harness/aws/scripted-aws.ts';
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

const tenant = unsafeTenant(newId('organization'), 'created');
const destinationId = newId('storageDestination');
let stores: Map<string, MemoryStore>;
const open = async (_tenant: unknown, _destination: unknown, folder: string) => stores.get(folder)!;
const down = async () => {
  throw new StorageError('unavailable', 'The bucket does not answer.');
};
beforeEach(() => {
  table.items.clear();
  stores = new Map();
});

const never = new Date('2099-01-01');
const clock = { now: () => new Date('2026-01-01') };
const options = { deleteBackupData: true, isPatient: true };
const purge = (more: object = {}, openStore: unknown = open) =>
  purgeRestores(tenant, { ...options, deadline: never, clock, ...more }, openStore as never);

const journalAt = async (path: string) => {
  const store = new MemoryStore();
  await store.put('key', Buffer.from('x'));
  stores.set(path, store);
  return { backupId: newId('backup'), path, storageDestination: { id: destinationId, name: 'Bucket', type: 's3' } };
};
const put = async (more: Partial<RestoreRecord> = {}): Promise<string> => {
  const id = newId('restore');
  const journal = await journalAt(id);
  const givenUp = [await journalAt(`${id}/given up`)];
  const record = { status: 'failed', targetProjectId: 'prj_1', journal, givenUp, ...more };
  table.put({ ...restoreKey.restore(tenant, id), id, ...record });
  table.put({ pk: `ORG#${tenant.organizationId}`, sk: `DESTINATION#${destinationId}`, id: destinationId, immutable: false });
  table.put({ ...restoreKey.running(tenant, id), restoreJobId: id });
  for (let n = 0; n < 250; n++) table.put({ pk: workPartition(tenant, id), sk: `SHARD#${String(n).padStart(8, '0')}` });
  table.put({ pk: workPartition(tenant, id), sk: 'PACE' });
  return id;
};
const left = () => [...table.items.keys()].filter((name) => !name.includes('DESTINATION#'));
const objects = () => [...stores].flatMap(([path, store]) => (store.objects.size > 0 ? [path] : [])).sort();

test('purge: records, work items and journals are deleted', async () => {
  await put();
  await put({ status: 'running' });
  equal(await purge(), true);
  deepEqual([left(), objects()], [[], []]);
});

test('purge: a safety backup is left to the purge of backups', async () => {
  const id = await put({ status: 'completed', sealedAt: 'then', safetyBackupId: newId('backup') });
  equal(await purge(), true);
  deepEqual([left(), objects()], [[], [id]]);
});

test('purge: objects stay unless their deletion was requested', async () => {
  const id = await put();
  equal(await purge({ deleteBackupData: false }), true);
  deepEqual([left(), objects()], [[], [id, `${id}/given up`]]);
});

test('purge: it returns false when its time is up, and continues the next time', async () => {
  for (let n = 0; n < 3; n++) await put();
  let looks = 0;
  const short = { now: () => new Date(looks++ < 1 ? '2026-01-01' : '2026-01-03') };
  equal(await purge({ deadline: new Date('2026-01-02'), clock: short }), false);
  equal(left().filter((name) => name.includes('\nRESTORE#')).length, 2);
  equal(await purge(), true);
  deepEqual(left(), []);
});

test('purge: a bucket that does not answer is retried for a limited time', async () => {
  const id = await put();
  await rejects(purge({}, down), { name: 'StorageError' });
  equal(
    left().some((name) => name.endsWith(`RESTORE#${id}`)),
    true,
  );
  equal(await purge({ isPatient: false }, down), true);
  deepEqual(left(), []);
});
