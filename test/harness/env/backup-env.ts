/** The environment of backups: Firestore, store and table in this process, and a workflow that runs the real steps. */
import { afterAll } from 'vitest';
import { lastKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import type { Firestore } from '../../../infra/local/engines/firestore/index.ts';
import { startBackup } from '../../../shared/backup/index.ts';
import type { StartBackupOptions } from '../../../shared/backup/model/start-options.ts';
import { MemoryStore, type ObjectStore } from '../../../shared/destination/index.ts';
import { FirestoreDatabase, type SourceOptions } from '../../../shared/firestore/index.ts';
import { type OrganizationRecord, organizationKey } from '../../../shared/organization/index.ts';
import { commit, newId, systemTimers, type Tenant, type Timers, unsafeTenant } from '../../../shared/platform/index.ts';
import { type BackupDeps, type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';
import { answerInProcess } from '../aws/in-process.ts';
import { startServer } from '../firestore/firestore-server.ts';
import { databaseId, documentsRoot, type EncodedFields, textField, writeDocuments } from '../firestore/write-documents.ts';
import { InMemoryTable } from '../table/in-memory-table.ts';
import { destinationRecord, projectRecord } from './backup/backup-records.ts';
import { createDataKeys } from './backup/data-keys.ts';
import { readStoredBackup, type StoredBackup } from './backup/read-archive.ts';
import { type BackupPosition, type RunBackupOptions, resumeBackup, runBackup } from './backup/run-backup.ts';

export { type EncodedFields, textField } from '../firestore/write-documents.ts';
export { firstBackupStep, type RunBackupOptions } from './backup/run-backup.ts';

/** Starts an environment and stops it after the last test of the file. `reset` empties it for the next test. */
export const createBackupEnv = (): Promise<BackupEnv> => createEnv(BackupEnv);

/** The same for an environment that builds on this one. */
export const createEnv = async <T extends BackupEnv>(type: new () => T): Promise<T> => {
  const env = await startEnv(type);
  afterAll(() => env.server.stop());
  return env;
};

/** The same without Vitest: the caller stops the server. */
export const startEnv = async <T extends BackupEnv>(type: new () => T): Promise<T> => {
  const env = new type();
  await env.start();
  return env;
};

const startOptions: StartBackupOptions = {
  type: 'full',
  collections: ['*'],
  excludeCollections: [],
  includeAuthUsers: false,
  trigger: 'manual',
  createdBy: { type: 'user', id: newId('user') },
};

export class BackupEnv {
  readonly tenant: Tenant = unsafeTenant(newId('organization'), 'record');
  readonly projectId = newId('project');
  readonly destinationId = newId('storageDestination');
  readonly table = new InMemoryTable();
  server!: Firestore;
  deps!: BackupDeps;
  /** The database to back up: a new one after each reset. */
  sourceProjectId = '';
  store = new MemoryStore();
  /** Wraps the store that the steps use, to inject faults. */
  wrapStore: (store: MemoryStore, folder: string) => ObjectStore = (store) => store;
  users: { id: string; json: Buffer }[] = [];
  token: () => Promise<string> = async () => 'owner';
  nowMs = (): number => Date.now();
  /** The timers of connections to Firestore. */
  timers: Timers = systemTimers;
  /** The time of Firestore. */
  sourceNowMs = (): number => Date.now();
  #resets = 0;

  async start(): Promise<void> {
    answerInProcess(this.table.script);
    this.server = await startServer({ clock: () => this.sourceNowMs() * 1_000 });
    this.reset();
  }

  /** An organization with a project and a destination, without documents, objects, backups and faults. */
  reset(sourceProjectId = `source-${++this.#resets}`): void {
    const { table, tenant } = this;
    table.items.clear();
    table.onWrite = () => undefined;
    table.onRead = () => undefined;
    this.server.faults.clear();
    this.sourceProjectId = sourceProjectId;
    this.store = new MemoryStore();
    this.wrapStore = (store) => store;
    this.users = [];
    this.token = async () => 'owner';
    this.nowMs = () => Date.now();
    this.timers = systemTimers;
    this.sourceNowMs = () => Date.now();
    const organization = { ...organizationKey.organization(tenant), id: tenant.organizationId, name: 'Acme' };
    table.put({ ...organization, backupCount: 0, storageUsed: 0 });
    table.put(projectRecord(tenant, this.projectId, this.sourceProjectId));
    table.put(destinationRecord(tenant, this.destinationId));
    this.deps = this.createDeps();
  }

  protected createDeps(): BackupDeps {
    const env = this;
    return {
      ...createDataKeys(),
      clock: { now: () => new Date(env.nowMs()) },
      openSource: (_tenant, { sourceProjectId }) => new FirestoreDatabase(env.sourceOptions(sourceProjectId)),
      readAuthUsers: async function* () {
        yield* env.users;
      },
      openStore: async (_tenant, _destination, folder) => env.wrapStore(env.storeAt(folder), folder),
    };
  }

  protected sourceOptions(projectId: string): SourceOptions {
    return {
      endpoint: this.server.url,
      projectId,
      token: () => this.token(),
      random: () => 0.5,
      sleep: async () => undefined,
      timers: this.timers,
    };
  }

  /** All backups share one store here; see `ArchiveEnv`. */
  protected storeAt(_folder: string): MemoryStore {
    return this.store;
  }

  get clock(): BackupDeps['clock'] {
    return this.deps.clock;
  }

  /** The prefix of the names of all documents. */
  get root(): string {
    return documentsRoot(this.sourceProjectId);
  }

  write(documents: Iterable<readonly [path: string, fields: EncodedFields]>): Promise<void> {
    return writeDocuments(this.server, this.sourceProjectId, documents);
  }

  writePaths(paths: readonly string[], letters = 20): Promise<void> {
    return this.write(paths.map((path) => [path, textField('x'.repeat(letters))]));
  }

  /** All documents in the order of the database: path and encoded bytes. */
  contents(): readonly (readonly [string, string])[] {
    const database = this.server.databases.open({ projectId: this.sourceProjectId, databaseId });
    return [...database.scan('', lastKey, { at: database.readTime() })].map(({ path, bytes }) => [
      path,
      Buffer.from(bytes).toString('hex'),
    ]);
  }

  /** Like POST /backups. */
  async startBackup(options: Partial<StartBackupOptions> = {}): Promise<string> {
    const context = {
      tenant: this.tenant,
      project: projectRecord(this.tenant, this.projectId, this.sourceProjectId),
      destination: destinationRecord(this.tenant, this.destinationId),
      encryption: { mode: 'kms', keyId: 'key' } as const,
    };
    const { backup, writes } = startBackup(context, { ...startOptions, ...options }, this.clock.now());
    await commit(writes);
    return backup.id;
  }

  /** Runs the workflow to its end, with retries. */
  runBackup(backupId: string, options: RunBackupOptions = {}): Promise<void> {
    return runBackup({ tenant: this.tenant, backupId, deps: this.deps }, options);
  }

  /** Runs each remaining step once. */
  resumeBackup(backupId: string, position: BackupPosition): Promise<void> {
    return resumeBackup({ tenant: this.tenant, backupId, deps: this.deps }, position);
  }

  backupOf(backupId: string): BackupRecord {
    return this.table.get<BackupRecord>(backupKey.backup(this.tenant, backupId))!;
  }

  get organization(): OrganizationRecord {
    return this.table.get<OrganizationRecord>(organizationKey.organization(this.tenant))!;
  }

  /** Events in their order. */
  events(type?: string): readonly Record<string, unknown>[] {
    return this.table
      .find('ORG#', 'EVENT#')
      .filter((event) => type === undefined || event.type === type)
      .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  }

  /** The percentages of all progress events. */
  reportedPercents(): readonly number[] {
    return this.events('backup.progress').map(({ data }) => (data as { progress: { percent: number } }).progress.percent);
  }

  /** The contents of a stored backup, read only with its objects, key and digest. */
  async readBackup(backupId: string): Promise<StoredBackup> {
    const record = this.backupOf(backupId);
    const dataKey = await this.deps.dataKeyOf(this.tenant, record);
    return readStoredBackup(this.store, { identity: record.archive, dataKey, digest: record.manifestDigest });
  }
}
