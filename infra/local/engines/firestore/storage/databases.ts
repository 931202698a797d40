import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DatabaseName, databaseName, parseDatabaseName } from '../base/document-name.ts';
import { type Micros, RpcError } from '../base/types.ts';
import type { CatalogState } from '../indexes/index-catalog.ts';
import type { BaseDocuments } from './base-documents.ts';
import { StoredDatabase } from './database.ts';
import type { DatabaseInfo } from './database-info.ts';
import { systemClock } from './system-clock.ts';

interface DatabasesOptions {
  /** The folder of the databases; without it they are kept in memory. */
  readonly dir?: string | undefined;
  /** Whether the first use creates a database; otherwise only `create` does. */
  readonly createOnUse?: boolean;
  readonly clock?: () => Micros;
  /** How long a commit waits for a transaction that has read the same documents. */
  readonly lockWaitMs?: number;
  /** The text of a `firestore.indexes.json`, of all databases. Undefined: every query has its index. */
  readonly indexes?: string | undefined;
  /** How long an index is built. */
  readonly indexBuildMs?: number | undefined;
  /** What databases contain where nothing was written, by full name. They exist from the start. */
  readonly bases?: ReadonlyMap<string, BaseDocuments> | undefined;
}

/** The databases of all projects. */
export interface Databases {
  /** The database of that name; throws NOT_FOUND if there is none. */
  open(name: DatabaseName): StoredDatabase;
  create(name: DatabaseName, options?: { readonly pointInTimeRecovery?: boolean }): StoredDatabase;
  /** Deletes a database with its contents; using its name does not create it again. */
  delete(name: DatabaseName): void;
  setPointInTimeRecovery(name: DatabaseName, on: boolean): void;
  /** Changes what the Admin API tells about a database. */
  describe(name: DatabaseName, info: DatabaseInfo): void;
  list(): readonly StoredDatabase[];
  close(): void;
}

interface Settings extends DatabaseName {
  readonly pointInTimeRecoverySince?: Micros | undefined;
  readonly deleted?: boolean;
  readonly info?: DatabaseInfo | undefined;
  readonly catalog?: CatalogState | undefined;
}

/** Opens all databases in the folder. */
export const openDatabases = (options: DatabasesOptions = {}): Databases => {
  const { dir, createOnUse = true, clock, lockWaitMs, indexes, indexBuildMs, bases } = options;
  const all = new Map<string, StoredDatabase>();
  const deleted = new Set<string>();

  const folder = (name: DatabaseName) => dir && join(dir, fileName(name.projectId), fileName(name.databaseId));
  const save = (settings: Settings) => {
    const to = folder(settings);
    if (to !== undefined) writeSettings(to, settings);
  };
  const catalogs = new Map<string, CatalogState>();
  const keep = ({ projectId, databaseId, pointInTimeRecoverySince, info, name }: StoredDatabase) =>
    save({ projectId, databaseId, pointInTimeRecoverySince, info, catalog: catalogs.get(name) });
  const add = (settings: Settings): StoredDatabase => {
    const { pointInTimeRecoverySince, info, catalog } = settings;
    if (catalog) catalogs.set(databaseName(settings), catalog);
    const database: StoredDatabase = new StoredDatabase(settings, {
      catalog,
      indexBuildMs,
      keepCatalog: (state) => {
        catalogs.set(database.name, state);
        keep(database);
      },
      dir: folder(settings),
      pointInTimeRecoverySince,
      info,
      lockWaitMs,
      indexes,
      base: bases?.get(databaseName(settings)),
      ...(clock && { clock }),
    });
    all.set(database.name, database);
    return database;
  };
  const make = (name: DatabaseName, pointInTimeRecovery: boolean): StoredDatabase => {
    const { projectId, databaseId } = name;
    deleted.delete(databaseName(name));
    const now = (clock ?? systemClock)();
    const settings = { projectId, databaseId, ...(pointInTimeRecovery && { pointInTimeRecoverySince: now }) };
    save(settings);
    return add(settings);
  };
  const open = (name: DatabaseName): StoredDatabase => {
    const full = databaseName(name);
    const database = all.get(full);
    if (database) return database;
    if (!createOnUse || deleted.has(full) || !validId.test(name.databaseId)) throw missing(name);
    return make(name, false);
  };

  for (const settings of dir ? keptSettings(dir) : []) {
    if (settings.deleted) deleted.add(databaseName(settings));
    else add(settings);
  }
  for (const name of bases?.keys() ?? []) if (!all.has(name)) make(parseDatabaseName(name), false);
  return {
    open,
    create: (name, options = {}) => {
      if (!validId.test(name.databaseId)) throw new RpcError('INVALID_ARGUMENT', `Invalid database id "${name.databaseId}".`);
      if (all.has(databaseName(name)))
        throw new RpcError('ALREADY_EXISTS', 'Database already exists. Please use another database_id');
      return make(name, options.pointInTimeRecovery ?? false);
    },
    delete: (name) => {
      open(name).close();
      const from = folder(name);
      if (from !== undefined) rmSync(from, { recursive: true, force: true });
      all.delete(databaseName(name));
      catalogs.delete(databaseName(name));
      deleted.add(databaseName(name));
      save({ projectId: name.projectId, databaseId: name.databaseId, deleted: true });
    },
    setPointInTimeRecovery: (name, on) => {
      const database = open(name);
      database.setPointInTimeRecovery(on);
      keep(database);
    },
    describe: (name, info) => {
      const database = open(name);
      database.info = info;
      keep(database);
    },
    list: () => [...all.values()],
    close: () => {
      for (const database of all.values()) database.close();
    },
  };
};

const validId = /^(?:\(default\)|[A-Za-z0-9_-]{1,63})$/;
const settingsFile = 'database.json';

/** An id as a folder name: dots could refer to another folder. */
const fileName = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E');

const keptSettings = (dir: string): Settings[] => {
  if (!existsSync(dir)) return [];
  return readdirSync(dir).flatMap((project) =>
    readdirSync(join(dir, project))
      .map((database) => join(dir, project, database, settingsFile))
      .filter((file) => existsSync(file))
      .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Settings),
  );
};

const writeSettings = (folder: string, settings: Settings): void => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, settingsFile);
  writeFileSync(`${file}.new`, JSON.stringify(settings));
  renameSync(`${file}.new`, file);
};

const missing = ({ projectId, databaseId }: DatabaseName): RpcError =>
  new RpcError(
    'NOT_FOUND',
    `The database ${databaseId} does not exist for project ${projectId} Please visit https://console.cloud.google.com/datastore/setup?project=${projectId} to add a Cloud Datastore or Cloud Firestore database. `,
  );
