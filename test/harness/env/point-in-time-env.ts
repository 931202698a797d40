/** The environment of point-in-time restores: a project with captures, and a clock that can be advanced without waiting. */
import { lastKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import { streamLeaves } from '../../../shared/archive/index.ts';
import { type DestinationRecord, type MemoryStore, type ObjectStore, StorageError } from '../../../shared/destination/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { enablePitr, type PitrRecord, pitrKey, runCaptureCycle } from '../../../shared/pitr/index.ts';
import { commit, newId } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import { type RestoreDeps, type RestoreRecord, readRestoreRequest, startRestore } from '../../../shared/restore/index.ts';
import { type BackupRecord, openArchive } from '../../../shared/stored-backup/index.ts';
import { databaseId, type Fields } from '../firestore/write-documents.ts';
import { createEnv } from './backup-env.ts';
import { bareFields, RestoreEnv } from './restore-env.ts';

export type Precision = PitrRecord['precision'];

type Documents = Readonly<Record<string, Fields | undefined>>;

export interface PointInTimeInput {
  readonly pointInTime: string;
  readonly targetProjectId?: string;
  readonly collections?: readonly string[];
  readonly documentIds?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

export const createPointInTimeEnv = (): Promise<PointInTimeEnv> => createEnv(PointInTimeEnv);

export class PointInTimeEnv extends RestoreEnv {
  /** The latest backup before the captures. */
  base!: BackupRecord;
  readonly #userId = newId('user');
  #aheadMs = 0;

  override reset(sourceProjectId?: string): void {
    super.reset(sourceProjectId);
    this.#aheadMs = 0;
    this.nowMs = () => Date.now() + this.#aheadMs;
    this.sourceNowMs = this.nowMs;
  }

  /** Resets the environment: a base backup of `documents`, an incremental one of `more`, and captures that have begun. */
  async startCaptures(documents: Documents, precision: Precision = 'second', more?: Documents): Promise<void> {
    this.reset();
    await this.put(documents);
    this.base = await this.takeBackup();
    if (more) {
      await this.put(more);
      this.base = await this.takeBackup({ type: 'incremental', parentBackupId: this.base.id, chainLength: 1 });
    }
    await this.#enable(precision);
    await this.runCycle();
  }

  protected override createDeps(): RestoreDeps {
    const deps = super.createDeps();
    // Each folder has a store of its own; the parent folder of batches forwards to theirs.
    const openStore: RestoreDeps['openStore'] = async (tenant, destination, folder) =>
      folder.endsWith('/pitr') ? this.#batchFolders(folder) : deps.openStore(tenant, destination, folder);
    return { ...deps, openStore };
  }

  /** The parent folder of batches, for reading. */
  #batchFolders(folder: string): ObjectStore {
    const find = (name: string): { store: MemoryStore; rest: string } => {
      const end = name.indexOf('/');
      const store = this.stores.get(`${folder}/${name.slice(0, end)}`);
      if (!store) throw new StorageError('missing', 'There is no such object.');
      return { store, rest: name.slice(end + 1) };
    };
    return {
      get: async (name: string, range: Parameters<ObjectStore['get']>[1]) => find(name).store.get(find(name).rest, range),
      head: async (name: string) => find(name).store.head(find(name).rest),
      close: () => undefined,
    } as unknown as ObjectStore;
  }

  /** Advances both clocks, by whole milliseconds. */
  pass(seconds: number): void {
    this.#aheadMs += Math.round(seconds * 1_000);
  }

  get caller() {
    return {
      tenant: this.tenant,
      organization: this.organization,
      role: 'owner',
      actor: { type: 'user', id: this.#userId, email: 'ada@example.com' },
      encryption: { mode: 'kms', keyId: 'key' },
      createdBy: { type: 'user', id: this.#userId },
    } as const;
  }

  async #enable(precision: Precision): Promise<void> {
    const { table, tenant } = this;
    const { change } = enablePitr(this.caller, {
      context: {
        project: table.get<ProjectRecord>(projectKey.project(tenant, this.projectId))!,
        destination: table.get<DestinationRecord>(organizationKey.storageDestination(tenant, this.destinationId))!,
        before: undefined,
      },
      options: { retentionDays: 7, captureIntervalSeconds: 10, precision, auditDays: 30 },
      now: this.clock.now(),
    });
    await commit(change.writes);
  }

  get pitr(): PitrRecord {
    return this.table.get<PitrRecord>(pitrKey.pitr(this.tenant, this.projectId))!;
  }

  /** Runs the next capture cycle when it is due. */
  async runCycle(): Promise<void> {
    const { turn, nextTurnAt } = this.pitr;
    const early = Date.parse(nextTurnAt ?? '') - this.nowMs();
    if (early > 0) this.pass(early / 1_000);
    await runCaptureCycle(this.tenant, {
      task: { projectId: this.projectId, turn },
      deps: this.deps,
      signal: AbortSignal.timeout(600_000),
    });
  }

  /** The documents of the source at a time, without names and times. */
  sourceAt(moment: string): ReadonlyMap<string, string> {
    const database = this.server.databases.open({ projectId: this.sourceProjectId, databaseId });
    const all = [...database.scan('', lastKey, { at: Date.parse(moment) * 1_000 })];
    return new Map(all.map(({ path, bytes }) => [path, bareFields(Buffer.from(bytes))]));
  }

  /** Advances a little beyond the next whole second and returns it: earlier writes are in it, later ones are not. */
  nextSecond(): string {
    this.pass((1_200 - (this.nowMs() % 1_000)) / 1_000);
    return new Date(Math.floor(this.nowMs() / 1_000) * 1_000).toISOString();
  }

  /** The documents of a backup by path, without names and times. */
  async contentsOf(
    backup: BackupRecord,
    deps: Pick<RestoreDeps, 'openStore' | 'dataKeyOf'> = this.deps,
  ): Promise<ReadonlyMap<string, string>> {
    const { archive, close } = await openArchive(this.tenant, { backup, deps });
    const found = new Map<string, string>();
    const prefix = `${archive.manifest.source}/documents/`.length;
    for await (const { segment, leaf } of streamLeaves(archive))
      for (let slot = segment.start; slot < segment.start + segment.count; slot++)
        found.set(leaf.name(slot).subarray(prefix).toString(), bareFields(leaf.content(slot)));
    close();
    return found;
  }

  /** The body of POST /backups/restore. */
  bodyOf({ options, ...input }: PointInTimeInput) {
    return {
      projectId: this.projectId,
      targetProjectId: this.targetId,
      ...input,
      options: { mergeMode: 'rollback', dryRun: false, includeSubcollections: true, safetyBackup: true, ...options },
    } as unknown as Parameters<typeof readRestoreRequest>[1];
  }

  /** Like POST /backups/restore. */
  async startPointInTimeRestore(input: PointInTimeInput): Promise<RestoreRecord> {
    const { tenant } = this;
    const now = this.clock.now();
    const { options, pointRequest, ...context } = await readRestoreRequest(tenant, this.bodyOf(input), now);
    const encryption = { mode: 'kms', keyId: 'key' } as const;
    const createdBy = { type: 'user', id: newId('user') };
    const { restore, writes } = startRestore(
      { ...context, tenant, encryption, point: pointRequest?.point },
      { ...options, createdBy },
      now,
    );
    await commit(writes);
    return restore;
  }
}
