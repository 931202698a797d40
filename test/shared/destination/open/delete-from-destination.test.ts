import { deepEqual, equal, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import {
  type DestinationRecord,
  deleteFromDestination,
  destinationKey,
  MemoryStore,
  type ObjectStore,
  objectPath,
  StorageError,
} from '../../../../shared/destination/index.ts';
import { answerOnWire } from '../../../harness/aws/in-process.ts';
import { tenant } from '../../../harness/store/store-stands.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerOnWire(table.script);
const id = 'dst_01JZ8Q4V0M6T3X9C2B7N5K1HRD';
let store: MemoryStore;
const opened: string[] = [];
const open = async (_tenant: unknown, { id }: DestinationRecord, path: string): Promise<ObjectStore> => {
  opened.push(`${id} ${path}`);
  return store;
};
const remove = (store: ObjectStore): Promise<void> => store.remove(['object']);
const deleteObjects = (work = remove) =>
  deleteFromDestination(tenant, { destinationId: id, path: 'folder', openStore: open }, work);

beforeEach(async () => {
  opened.length = 0;
  store = new MemoryStore();
  await store.put('object', Buffer.from('x'));
  table.items.clear();
  table.put({ ...destinationKey(tenant, id), id, immutable: false });
});

test('deleteFromDestination: objects are deleted from the folder of the destination', async () => {
  equal(await deleteObjects(), undefined);
  deepEqual([[...store.objects.keys()], opened], [[], [`${id} folder`]]);
});

test('deleteFromDestination: objects of a deleted or immutable destination stay, and the store is not opened', async () => {
  table.put({ ...destinationKey(tenant, id), id, immutable: true });
  equal(await deleteObjects(), 'The storage destination is immutable');
  table.items.clear();
  equal(await deleteObjects(), 'The storage destination was deleted');
  deepEqual(opened, []);
});

test('deleteFromDestination: the reason of a permanent StorageError is returned, all other errors are thrown', async () => {
  const failing = (error: Error) => deleteObjects(() => Promise.reject(error));
  equal(await failing(new StorageError('denied', 'Denied.')), 'Denied.');
  await rejects(failing(new StorageError('unavailable', 'Busy.')), /Busy/);
  await rejects(failing(new Error('bug')), /bug/);
});

test('objectPath: an empty prefix adds no slash', () => {
  equal(objectPath({ prefix: 'a/b' }, 'project', 'backup'), 'a/b/project/backup');
  equal(objectPath({ prefix: '' }, 'project', 'backup'), 'project/backup');
});
