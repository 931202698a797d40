/** Backups whose keys are in a table and in buckets in memory, to rewrap them. */

import { MemoryStore, type ObjectStore, StorageError } from '../../../shared/destination/index.ts';
import { after, commit, type Write } from '../../../shared/platform/index.ts';
import { newDataKey } from '../../../shared/stored-backup/encryption/data-key.ts';
import {
  type BackupRecord,
  changeEncryption,
  readEncryption,
  rewrapKeys,
  rotateKeys,
} from '../../../shared/stored-backup/index.ts';
import { backupOf, tenant } from '../builders/sample-backup.ts';
import { arnOf, startKeys } from './kms-env.ts';

const later = new Date('2099-01-01');
export const clock = { now: () => new Date() };
/** Without their tasks and audit entries. */
const puts = (writes: readonly Write[]) => commit(writes.filter((write) => 'put' in write));

export const startRewraps = async () => {
  const keys = await startKeys();
  const stores = new Map<string, MemoryStore>();
  /** `isFailing` says which paths do not answer. */
  const buckets = { isFailing: (_path: string): boolean => false };
  const open = async (_tenant: unknown, _destination: unknown, path: string): Promise<ObjectStore> => {
    if (buckets.isFailing(path)) throw new StorageError('unavailable', 'The bucket does not answer.');
    const store = stores.get(path) ?? new MemoryStore();
    stores.set(path, store);
    return store;
  };
  const options = (taskId = 'tsk_1') => ({
    taskId,
    deadline: later,
    endsBy: after(clock.now(), 150),
    until: after(clock.now(), 300),
    clock,
    openStore: open,
  });
  return {
    ...keys,
    buckets,
    options,
    reset: () => {
      keys.table.items.clear();
      stores.clear();
      keys.aws.play(keys.script);
      buckets.isFailing = () => false;
      process.env.DATA_KEY_ID = arnOf('data');
    },
    choose: async (wish: Parameters<typeof changeEncryption>[2]['input']) => {
      const { chosen, change } = await changeEncryption(tenant, await readEncryption(tenant), { input: wish, now: new Date() });
      await puts(change.writes);
      return chosen;
    },
    rotate: async () => {
      const { chosen, change } = rotateKeys(tenant, await readEncryption(tenant), new Date());
      await puts(change.writes);
      return chosen;
    },
    rewrap: (walk: string): Promise<void> => rewrapKeys(tenant, { walk }, options()),
    /** A backup with its key and an object. */
    made: async (more: Partial<BackupRecord> = {}) => {
      const bare = backupOf(more);
      const { dataKey, keyFile, encryption } = await newDataKey(tenant, bare.archive);
      const backup = { ...bare, keyFile, encryption };
      const destination = { pk: `ORG#${tenant.organizationId}`, sk: `DESTINATION#${bare.storageDestination.id}`, id: 'x' };
      await commit([{ put: backup }, { put: destination }]);
      const store = (await open(tenant, undefined, backup.path)) as MemoryStore;
      await store.put('key', keyFile);
      await store.put('chunk/00000000-0000', Buffer.from('sealed'));
      return { backup, dataKey, store };
    },
    /** The tasks that were enqueued. */
    tasks: () =>
      [...keys.table.items.values()]
        .filter(({ sk }) => sk?.S?.startsWith('TASK#'))
        .map(({ message }) => JSON.parse(message!.S!).task),
    /** The next `put` of a key at the path waits until it is released. */
    holdPut: (path: string) => {
      const store = stores.get(path)!;
      const put = store.put.bind(store);
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      store.put = async (...args) => {
        store.put = put;
        reached.resolve();
        await released.promise;
        return put(...args);
      };
      return { reached: reached.promise, release: released.resolve };
    },
  };
};
