/** Backups made by the engine, each in its own folder, for tests that read and damage them. */

import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../infra/local/engines/firestore/write/commit-writes.ts';
import { type BackupRecord, backupKey, type StartBackupOptions } from '../../../shared/backup/index.ts';
import { MemoryStore, type ObjectStore } from '../../../shared/destination/index.ts';
import { begin, newWorld, rootOf, runWorkflow, server, table, tenant, type World } from './backup-env.ts';

export interface ReadingWorld extends World {
  readonly stores: ReadonlyMap<string, MemoryStore>;
  /** Wraps the store that readers get, to inject faults. */
  throughReading: (store: MemoryStore, folder: string) => ObjectStore;
}

/** An empty source, an empty table and no objects. */
export const newReadingWorld = (): ReadingWorld => {
  const world = newWorld();
  const stores = new Map<string, MemoryStore>();
  const engine: World['engine'] = {
    ...world.engine,
    openStore: async (_tenant, _destination, folder) => {
      const store = stores.get(folder) ?? new MemoryStore();
      stores.set(folder, store);
      return reading.throughReading(store, folder);
    },
  };
  const reading: ReadingWorld = { ...world, engine, stores, throughReading: (store) => store };
  return reading;
};

type Value = Parameters<typeof proto.Value.encode>[0];
export type Fields = Readonly<Record<string, Value>>;

/** Writes documents by path; undefined deletes one. */
export const put = async (world: World, documents: Readonly<Record<string, Fields | undefined>>): Promise<void> => {
  const database = { projectId: world.sourceProjectId, databaseId: '(default)' };
  const writes = Object.entries(documents).map(([path, fields]) => {
    const name = `${rootOf(world)}/${path}`;
    if (!fields) return parseWrite(proto.Write.encode({ delete: name }), database);
    const encoded = new Map(Object.entries(fields).map(([field, value]) => [field, proto.Value.encode(value)]));
    return parseWrite(proto.Write.encode({ update: proto.Document.encode({ name, fields: encoded }) }), database);
  });
  for (let n = 0; n < writes.length; n += 500) await commitWrites(server.databases.open(database), writes.slice(n, n + 500));
};

/** Makes a complete backup of the source. */
export const takeBackup = async (world: ReadingWorld, more: Partial<StartBackupOptions> = {}): Promise<BackupRecord> => {
  const id = await begin(world, more);
  await runWorkflow(world, id);
  return recordOf(id);
};

export const recordOf = (id: string): BackupRecord => table.get<BackupRecord>(backupKey.backup(tenant, id))!;

export const storeOf = (world: ReadingWorld, { path }: BackupRecord): MemoryStore => world.stores.get(path)!;
