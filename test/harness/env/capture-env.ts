/** A captured project, with Firestore, stores and table in one process under one clock. */
import { lastKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import type { StartBackupOptions } from '../../../shared/backup/model/start-options.ts';
import { MemoryStore, type ObjectStore, readDestination } from '../../../shared/destination/index.ts';
import { type OrganizationRecord, organizationKey } from '../../../shared/organization/index.ts';
import {
  type BatchRecord,
  ChangeBatchReader,
  disablePitr,
  enablePitr,
  expireCaptures,
  microsOf,
  type PitrRecord,
  type PitrSettings,
  pitrKey,
  runCaptureCycle,
  windowsOf,
} from '../../../shared/pitr/index.ts';
import { commit, newId, type Tenant, warm } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import { type BackupDeps, type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';
import { databaseId, textField, writeDocuments } from '../firestore/write-documents.ts';
import type { RunBackupOptions } from './backup/run-backup.ts';
import { BackupEnv, startEnv } from './backup-env.ts';
import { assertExact, batchFolders } from './capture/captured-versions.ts';

const actor = { type: 'user', id: newId('user'), email: null } as const;

/** The latest time of any environment of a file: the source's time never goes back. */
const latest = warm(() => ({ ms: Date.UTC(2030, 5, 1, 12) }));

/** The server and the table that all environments of a file share. */
const shared = warm(() => startEnv(BackupEnv));

/** An environment without captures and with an empty source. It replaces the one before. */
export const createCaptureEnv = async (): Promise<CaptureEnv> => {
  process.env.DATA_KEY_ID = 'key';
  return new CaptureEnv(await shared());
};

/** An environment with active captures of these documents. */
export const createActiveCapture = async (
  documents: Readonly<Record<string, string>>,
  settings: Partial<PitrSettings> = {},
): Promise<CaptureEnv> => {
  const t = await createCaptureEnv();
  await t.put(documents);
  t.pass(5.4);
  await t.enable(settings);
  await t.untilActive();
  return t;
};

/** Stops what all environments of the file share. */
export const stopCaptureEnv = async (): Promise<void> => (await shared()).server.stop();

export class CaptureEnv {
  readonly tenant: Tenant;
  readonly projectId: string;
  readonly destinationId: string;
  readonly table: BackupEnv['table'];
  readonly server: BackupEnv['server'];
  readonly sourceProjectId: string;
  readonly folders = new Map<string, MemoryStore>();
  /** Wraps each folder's store, to inject faults. */
  wrap: (store: MemoryStore) => ObjectStore = (store) => store;
  /** Folders in the order in which their stores were opened. */
  readonly opened: string[] = [];
  readonly #backups: BackupEnv;

  constructor(backups: BackupEnv) {
    this.#backups = backups;
    backups.reset();
    this.tenant = backups.tenant;
    this.projectId = backups.projectId;
    this.destinationId = backups.destinationId;
    this.table = backups.table;
    this.server = backups.server;
    this.sourceProjectId = backups.sourceProjectId;
    this.pass(3_600);
    backups.nowMs = () => this.nowMs;
    backups.sourceNowMs = () => this.nowMs;
    this.deps = { ...backups.deps, openStore: async (_tenant, _destination, path) => this.#open(path) };
  }

  get deps(): BackupDeps {
    return this.#backups.deps;
  }

  set deps(deps: BackupDeps) {
    this.#backups.deps = deps;
  }

  /** The time of the source, the table and the worker. */
  get nowMs(): number {
    return latest().ms;
  }

  set nowMs(ms: number) {
    latest().ms = ms;
  }

  get now(): Date {
    return new Date(this.nowMs);
  }

  pass(seconds: number): void {
    this.nowMs += seconds * 1_000;
  }

  get pitr(): PitrRecord {
    return this.table.get<PitrRecord>(pitrKey.pitr(this.tenant, this.projectId))!;
  }

  get project(): ProjectRecord {
    return this.table.get<ProjectRecord>(projectKey.project(this.tenant, this.projectId))!;
  }

  get organization(): OrganizationRecord {
    return this.table.get<OrganizationRecord>(organizationKey.organization(this.tenant))!;
  }

  get batches(): readonly BatchRecord[] {
    const found = this.table.find(pitrKey.tokens(this.tenant, this.projectId).pk, 'BATCH#') as unknown as readonly BatchRecord[];
    return found.toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
  }

  get uploads(): number {
    return this.table.find(pitrKey.tokens(this.tenant, this.projectId).pk, 'UPLOAD#').length;
  }

  get windows() {
    return windowsOf(this.pitr, this.now).windows;
  }

  events(type: string): readonly Record<string, unknown>[] {
    return this.#backups.events(type);
  }

  audited(action: string): readonly Record<string, unknown>[] {
    return this.table.find('AUDIT#').filter((entry) => entry.action === action);
  }

  #open(path: string): ObjectStore {
    this.opened.push(path);
    return path.endsWith('/pitr') ? batchFolders(this, path) : this.wrap(this.folder(path));
  }

  folder(path: string): MemoryStore {
    const store = this.folders.get(path) ?? new MemoryStore();
    this.folders.set(path, store);
    return store;
  }

  /** Writes documents by path in one commit; null deletes. */
  put(documents: Readonly<Record<string, string | null>>): Promise<void> {
    const writes = Object.entries(documents).map(([path, text]) => [path, text === null ? undefined : textField(text)] as const);
    return writeDocuments(this.server, this.sourceProjectId, writes);
  }

  get database() {
    return this.server.databases.open({ projectId: this.sourceProjectId, databaseId });
  }

  /** The database at a moment: bytes by path. */
  truthAt(micros: number): ReadonlyMap<string, string> {
    return new Map(
      [...this.database.scan('', lastKey, { at: micros })].map(({ path, bytes }) => [path, Buffer.from(bytes).toString('hex')]),
    );
  }

  #caller() {
    return { tenant: this.tenant, organization: this.organization, role: 'owner' as const, actor };
  }

  /** Like POST …/pitr. */
  async enable(settings: Partial<PitrSettings> = {}): Promise<void> {
    const { change } = enablePitr(this.#caller(), {
      context: {
        project: this.project,
        destination: await readDestination(this.tenant, this.destinationId),
        before: this.table.get<PitrRecord>(pitrKey.pitr(this.tenant, this.projectId)),
      },
      options: { retentionDays: 7, captureIntervalSeconds: 60, precision: 'second', auditDays: 30, ...settings },
      now: this.now,
    });
    await commit(change.writes);
  }

  async disable(): Promise<void> {
    await commit(disablePitr(this.#caller(), { project: this.project, before: this.pitr, now: this.now }).change.writes);
  }

  runCycle(number = this.pitr.turn, deps = this.deps) {
    return runCaptureCycle(this.tenant, {
      task: { projectId: this.projectId, turn: number },
      deps,
      signal: AbortSignal.timeout(600_000),
    });
  }

  /** Runs the next cycle when it is due. */
  async runNextCycle(deps = this.deps) {
    this.#waitForCycle();
    return this.runCycle(this.pitr.turn, deps);
  }

  #waitForCycle(): void {
    this.nowMs = Math.max(this.nowMs, Date.parse(this.pitr.nextTurnAt ?? ''));
  }

  /** Runs cycles, and the base backup they request, until captures are active. */
  async untilActive(): Promise<void> {
    for (let cycles = 0; this.pitr.status !== 'active'; cycles++) {
      if (cycles > 100) throw new Error('captures did not begin');
      await this.runCycle();
      await this.runRequestedBase();
      this.#waitForCycle();
    }
  }

  /** Runs the requested base backup, if there is one. */
  async runRequestedBase(): Promise<void> {
    const { comingBaseId } = this.pitr;
    if (comingBaseId === null) return;
    const { status } = this.table.get<{ status: string }>(backupKey.backup(this.tenant, comingBaseId))!;
    if (status === 'pending') await this.runBackup(comingBaseId);
  }

  /** Like POST /backups. */
  async runFullBackup(): Promise<void> {
    await this.runBackup(await this.#backups.startBackup());
  }

  /** Like POST /backups; returns its record at the end. */
  async takeBackup(options: Partial<StartBackupOptions> = {}): Promise<BackupRecord> {
    const id = await this.startBackup(options);
    await this.runBackup(id);
    return this.#backups.backupOf(id);
  }

  startBackup(options: Partial<StartBackupOptions> = {}): Promise<string> {
    return this.#backups.startBackup(options);
  }

  runBackup(backupId: string, options: RunBackupOptions = {}): Promise<void> {
    return this.#backups.runBackup(backupId, options);
  }

  /** Deletes expired captures, like its task. */
  expire(): Promise<void> {
    return expireCaptures(this.tenant, this.projectId, { until: new Date(this.nowMs + 60_000), ...this.deps });
  }

  /** Every whole second of the windows with second precision. */
  secondsIn(windows: readonly { from: string; to: string; precision?: string | undefined }[] = this.windows): readonly number[] {
    return windows.flatMap(({ from, to, precision }) => {
      if (precision !== undefined) return [];
      const seconds: number[] = [];
      for (let at = microsOf(from); at <= microsOf(to); at += 1_000_000) seconds.push(at);
      return seconds;
    });
  }

  readBatches(batches = this.batches) {
    return new ChangeBatchReader(this.tenant, this.deps).read(batches);
  }

  /** Asserts that base and batches alone yield the state of the source at each moment. */
  assertExact(moments = this.secondsIn()): Promise<void> {
    return assertExact(this, moments);
  }
}
