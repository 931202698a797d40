/** The environment of restores: a source and a target database, a store per folder, and a workflow that runs the real steps. */
import { lastKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import type { DestinationRecord, MemoryStore } from '../../../shared/destination/index.ts';
import { FirestoreDatabase } from '../../../shared/firestore/index.ts';
import { workPartition } from '../../../shared/job/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { commit, newId } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import {
  type RestoreDeps,
  type RestoreRecord,
  type RestoreShardRecord,
  restoreKey,
  type StartRestoreOptions,
  startRestore,
} from '../../../shared/restore/index.ts';
import type { BackupRecord } from '../../../shared/stored-backup/index.ts';
import type { CrashingMachine } from '../faults/restore-machine.ts';
import { databaseId, type Fields, putDocuments } from '../firestore/write-documents.ts';
import { ArchiveEnv } from './archive-env.ts';
import { type ArchiveRecord, readArchive } from './backup/read-archive.ts';
import { createEnv } from './backup-env.ts';
import {
  type RestorePosition,
  type ResumeRestoreOptions,
  type RunRestoreOptions,
  resumeRestore,
  runRestore,
} from './restore/run-restore.ts';

export type { Fields } from '../firestore/write-documents.ts';
export { firstRestoreStep, RestoreFailedError } from './restore/run-restore.ts';

export interface RestoreInput extends Partial<Omit<StartRestoreOptions, 'documents' | 'createdBy'>> {
  /** The other project by default. */
  readonly targetProjectId?: string;
  /** Paths, ascending. */
  readonly documents?: readonly string[];
}

export const createRestoreEnv = (): Promise<RestoreEnv> => createEnv(RestoreEnv);

type Side = 'source' | 'target';

export class RestoreEnv extends ArchiveEnv {
  /** The other project of the organization; `projectId` is the backed-up one. */
  readonly targetId = newId('project');
  declare deps: RestoreDeps;
  /** Injects crashes into the calls to the target and the stores. */
  machine: CrashingMachine | undefined;

  /** The database of `targetId`. */
  get targetProjectId(): string {
    return `${this.sourceProjectId}-target`;
  }

  override reset(sourceProjectId?: string): void {
    super.reset(sourceProjectId);
    this.machine = undefined;
    this.table.put({
      ...this.table.get<ProjectRecord>(projectKey.project(this.tenant, this.projectId))!,
      ...projectKey.project(this.tenant, this.targetId),
      id: this.targetId,
      name: 'Copy of the shop',
      sourceProjectId: this.targetProjectId,
    });
  }

  protected override createDeps(): RestoreDeps {
    const deps = super.createDeps();
    return {
      ...deps,
      random: () => 0.5,
      openSource: (_tenant, { sourceProjectId }) => {
        const options = this.sourceOptions(sourceProjectId);
        return this.machine ? this.machine.source(options) : new FirestoreDatabase(options);
      },
      openToolkit: (_tenant, { sourceProjectId }) => ({
        endpoint: this.server.url,
        sourceProjectId,
        token: () => this.token(),
      }),
      openStore: async (...args) => {
        const store = await deps.openStore(...args);
        return this.machine ? this.machine.store(store) : store;
      },
    };
  }

  #databaseOf(side: Side): string {
    return side === 'source' ? this.sourceProjectId : this.targetProjectId;
  }

  /** Writes documents into the target by path; undefined deletes one. */
  putTarget(documents: Readonly<Record<string, Fields | undefined>>): Promise<void> {
    return putDocuments(this.server, this.targetProjectId, documents);
  }

  /** The documents of a database by path: encoded, with their times, in hexadecimal. */
  documentsIn(side: Side = 'target'): ReadonlyMap<string, string> {
    const database = this.server.databases.open({ projectId: this.#databaseOf(side), databaseId });
    const all = [...database.scan('', lastKey, { at: database.readTime() })];
    return new Map(all.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('hex')]));
  }

  /** Like `documentsIn`, without names and times, to compare two databases. */
  fieldsOf(side: Side = 'target'): ReadonlyMap<string, string> {
    return new Map([...this.documentsIn(side)].map(([path, hex]) => [path, bareFields(Buffer.from(hex, 'hex'))]));
  }

  /** Write requests to any database since the last reset of the counters. */
  writesSent(): number {
    const { BatchWrite = 0, Commit = 0 } = this.server.faults.calls;
    return BatchWrite + Commit;
  }

  /** Like POST /backups/restore; returns the id of the restore. */
  async startRestore(backup: BackupRecord, input: RestoreInput = {}): Promise<string> {
    const { targetProjectId = this.targetId, documents, ...more } = input;
    const { table, tenant } = this;
    const context = {
      tenant,
      backup,
      project: table.get<ProjectRecord>(projectKey.project(tenant, backup.projectId)),
      target: table.get<ProjectRecord>(projectKey.project(tenant, targetProjectId))!,
      destination: table.get<DestinationRecord>(organizationKey.storageDestination(tenant, this.destinationId))!,
      encryption: { mode: 'kms', keyId: 'key' } as const,
    };
    const options: StartRestoreOptions = {
      mergeMode: 'overwrite',
      dryRun: false,
      collections: ['*'],
      includeSubcollections: true,
      includeAuthUsers: false,
      safetyBackup: true,
      createdBy: { type: 'user', id: newId('user') },
      ...more,
      ...(documents && { documents: { paths: documents, given: documents.map((path) => [path, [path]] as const) } }),
    };
    const { restore, writes } = startRestore(context, options, this.clock.now());
    await commit(writes);
    return restore.id;
  }

  restoreOf = (id: string): RestoreRecord => this.table.get<RestoreRecord>(restoreKey.restore(this.tenant, id))!;

  shardsOf(id: string): readonly RestoreShardRecord[] {
    return this.table.find(workPartition(this.tenant, id), 'SHARD#') as unknown as readonly RestoreShardRecord[];
  }

  /** Runs each remaining step once. */
  resumeRestore(id: string, position: RestorePosition, options?: ResumeRestoreOptions): Promise<void> {
    return resumeRestore(this, { restoreJobId: id, position, options });
  }

  /** Runs the workflow to its end, with retries. */
  runRestore(id: string, options?: RunRestoreOptions): Promise<RestoreRecord> {
    return runRestore(this, id, options);
  }

  /** Starts a restore and runs it to its end. */
  async restore(backup: BackupRecord, input: RestoreInput = {}): Promise<RestoreRecord> {
    return this.runRestore(await this.startRestore(backup, input));
  }

  /** The journal of a restore by path, read only with its objects, key and digest. */
  async journalOf(id: string): Promise<ReadonlyMap<string, Omit<ArchiveRecord, 'name'>>> {
    const { journal, targetProjectId } = this.restoreOf(id);
    const identity = { organization: this.tenant.organizationId, project: targetProjectId, backup: journal.backupId };
    const { dataKey } = await this.deps.unlockKeyFile(this.tenant, journal.keyFile!, { archive: identity });
    const { records } = await readArchive(this.folderOf(journal.path), { identity, dataKey, digest: journal.manifestDigest });
    return new Map(records.map(({ name, kind, content }) => [name, { kind, content }]));
  }

  folderOf(path: string): MemoryStore {
    return this.stores.get(path)!;
  }
}

/** The fields of an encoded document in a fixed order. */
export const bareFields = (bytes: Buffer): string => {
  const { fields } = proto.Document.decode(bytes);
  const sorted = [...(fields ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted.map(([field, value]) => [field, Buffer.from(value).toString('hex')]));
};
