/** A captured project, with Firestore, stores and table in one process under one clock. */
import { deepEqual, ok } from 'node:assert/strict';
import { lastKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../infra/local/engines/firestore/write/commit-writes.ts';
import { recordKind, streamLeaves } from '../../../shared/archive/index.ts';
import { type BackupDeps, backupKey, openArchive, readBackup } from '../../../shared/backup/index.ts';
import { MemoryStore, type ObjectStore, readDestination } from '../../../shared/destination/index.ts';
import { type OrganizationRecord, organizationKey } from '../../../shared/organization/index.ts';
import {
  type Base,
  type BatchRecord,
  baseFor,
  ChangeBatchReader,
  disablePitr,
  enablePitr,
  expireCaptures,
  microsOf,
  momentOf,
  type PitrRecord,
  type PitrSettings,
  pitrKey,
  runCaptureCycle,
  windowsOf,
} from '../../../shared/pitr/index.ts';
import { commit, newId } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import {
  destinationId,
  eventsOf,
  newWorld,
  projectId,
  rootOf,
  runWorkflow,
  server,
  sourceTime,
  table,
  tenant,
  textField,
  type World,
} from './backup-env.ts';

const databaseId = '(default)';
process.env.DATA_KEY_ID = 'key';
const actor = { type: 'user', id: newId('user'), email: null } as const;

type Written = Readonly<Record<string, string | null>>;

/** The latest time of any environment: the source's time never goes back. */
let latestMs = Date.UTC(2030, 5, 1, 12);

/** An environment without captures and with an empty source. It replaces the one before. */
export const createCaptureEnv = async (): Promise<CaptureEnv> => new CaptureEnv(newWorld());

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

/** Stops what all environments of the process share. */
export const stopCaptureEnv = (): Promise<void> => server.stop();

export class CaptureEnv {
  readonly tenant = tenant;
  readonly projectId = projectId;
  readonly destinationId = destinationId;
  readonly table = table;
  readonly server = server;
  readonly sourceProjectId: string;
  readonly folders = new Map<string, MemoryStore>();
  /** Wraps each folder's store, to inject faults. */
  wrap: (store: MemoryStore) => ObjectStore = (store) => store;
  deps: BackupDeps;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.sourceProjectId = world.sourceProjectId;
    this.pass(3_600);
    sourceTime.nowMs = () => this.nowMs;
    this.deps = {
      ...world.engine,
      clock: { now: () => this.now },
      openStore: async (_tenant, _destination, path) => this.wrap(this.#folder(path)),
    };
  }

  /** The time of the source, the table and the worker. */
  get nowMs(): number {
    return latestMs;
  }

  set nowMs(ms: number) {
    latestMs = ms;
  }

  get now(): Date {
    return new Date(this.nowMs);
  }

  pass(seconds: number): void {
    this.nowMs += seconds * 1_000;
  }

  get pitr(): PitrRecord {
    return this.table.get<PitrRecord>(pitrKey.pitr(tenant, projectId))!;
  }

  get project(): ProjectRecord {
    return this.table.get<ProjectRecord>(projectKey.project(tenant, projectId))!;
  }

  get organization(): OrganizationRecord {
    return this.table.get<OrganizationRecord>(organizationKey.organization(tenant))!;
  }

  get batches(): readonly BatchRecord[] {
    return this.table.find(pitrKey.tokens(tenant, projectId).pk, 'BATCH#') as unknown as readonly BatchRecord[];
  }

  get uploads(): number {
    return this.table.find(pitrKey.tokens(tenant, projectId).pk, 'UPLOAD#').length;
  }

  get windows() {
    return windowsOf(this.pitr, this.now).windows;
  }

  events(type: string): readonly Record<string, unknown>[] {
    return eventsOf(type);
  }

  audited(action: string): readonly Record<string, unknown>[] {
    return this.table.find('AUDIT#').filter((entry) => entry.action === action);
  }

  #folder(path: string): MemoryStore {
    const store = this.folders.get(path) ?? new MemoryStore();
    this.folders.set(path, store);
    return store;
  }

  /** Writes documents by path in one commit; null deletes. */
  async put(documents: Written): Promise<void> {
    const name = { projectId: this.sourceProjectId, databaseId };
    const writes = Object.entries(documents).map(([path, text]) => {
      const full = `${rootOf(this.#world)}/${path}`;
      const write = text === null ? { delete: full } : { update: proto.Document.encode({ name: full, fields: textField(text) }) };
      return parseWrite(proto.Write.encode(write), name);
    });
    await commitWrites(this.database, writes);
  }

  get database() {
    return this.server.databases.open({ projectId: this.sourceProjectId, databaseId });
  }

  /** The database at a moment: bytes by path. */
  truthAt(micros: number): ReadonlyMap<string, string> {
    return new Map(
      [...this.database.scan('', lastKey, micros)].map(({ path, bytes }) => [path, Buffer.from(bytes).toString('hex')]),
    );
  }

  #caller() {
    return { tenant, organization: this.organization, role: 'owner' as const, actor };
  }

  /** Like POST …/pitr. */
  async enable(settings: Partial<PitrSettings> = {}): Promise<void> {
    const { change } = enablePitr(
      this.#caller(),
      {
        project: this.project,
        destination: await readDestination(tenant, destinationId),
        before: this.table.get<PitrRecord>(pitrKey.pitr(tenant, projectId)),
      },
      { retentionDays: 7, captureIntervalSeconds: 60, precision: 'second', ...settings },
      this.now,
    );
    await commit(change.writes);
  }

  async disable(): Promise<void> {
    await commit(disablePitr(this.#caller(), this.project, this.pitr, this.now).change.writes);
  }

  runCycle(number = this.pitr.turn, deps = this.deps) {
    return runCaptureCycle(tenant, { projectId, turn: number }, deps, AbortSignal.timeout(60_000));
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
    const { status } = this.table.get<{ status: string }>(backupKey.backup(tenant, comingBaseId))!;
    if (status === 'pending') await this.runBackup(comingBaseId);
  }

  runBackup(backupId: string): Promise<void> {
    return runWorkflow({ ...this.#world, engine: this.deps }, backupId);
  }

  /** Deletes expired captures, like its task. */
  expire(): Promise<void> {
    return expireCaptures(tenant, projectId, { until: new Date(this.nowMs + 60_000), ...this.deps });
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

  /** All versions in base and batches; those of the base have time 0. */
  async #versionsFrom({ backupId, readTime }: Base): Promise<readonly Version[]> {
    const versions: Version[] = [];
    const open = await openArchive(tenant, await readBackup(tenant, backupId), undefined, this.deps);
    for await (const { leaf, segment } of streamLeaves(open.archive))
      for (let slot = segment.start; slot < segment.start + segment.count; slot++)
        if (leaf.kind(slot) === recordKind.document) {
          const content = leaf.content(slot).toString('hex');
          versions.push({ name: leaf.name(slot).toString(), at: 0, order: 0, from: 0, content });
        }
    const batches = this.batches.filter(({ to }) => microsOf(to) > microsOf(readTime));
    for await (const { batch, leaf } of this.readBatches(batches)) {
      const order = batches.findIndex(({ id }) => id === batch.id);
      for (let slot = 0; slot < leaf.count; slot++) {
        const { seconds, nanos } = leaf.updated(slot);
        const isGone = leaf.kind(slot) === recordKind.tombstone;
        versions.push({
          name: leaf.name(slot).toString(),
          at: seconds * 1_000_000 + Math.floor(nanos / 1_000),
          order: order + 1,
          from: microsOf(batches[order]!.from),
          content: isGone ? undefined : leaf.content(slot).toString('hex'),
        });
      }
    }
    return versions;
  }

  readBatches(batches = this.batches) {
    const openStore: BackupDeps['openStore'] = async (_tenant, _destination, parent) => this.#batchFolders(parent);
    return new ChangeBatchReader(tenant, { ...this.deps, openStore }).read(batches);
  }

  /** The parent folder of batches, for reading: each batch has a store of its own here. */
  #batchFolders(parent: string): ObjectStore {
    const find = (name: string) => {
      const end = name.indexOf('/');
      return { store: this.#folder(`${parent}/${name.slice(0, end)}`), object: name.slice(end + 1) };
    };
    const get: ObjectStore['get'] = async (name, extent) => find(name).store.get(find(name).object, extent);
    return { get, close: () => undefined } as unknown as ObjectStore;
  }

  /** Asserts that base and batches alone yield the state of the source at each moment; a later batch overrides an earlier one. */
  async assertExact(moments = this.secondsIn()): Promise<void> {
    ok(moments.length > 0, 'no moment to check');
    const known = new Map<string, readonly Version[]>();
    const prefix = rootOf(this.#world).length + 1;
    for (const moment of moments) {
      const base = baseFor(this.pitr, momentOf(moment))!;
      const versions = known.get(base.backupId) ?? (await this.#versionsFrom(base));
      known.set(base.backupId, versions);
      const since = microsOf(base.readTime);
      const newest = new Map<string, Version>();
      for (const version of versions)
        if (version.at === 0 || (version.at > since && version.at <= moment && version.from < moment && isLater(version, newest)))
          newest.set(version.name, version);
      const found = [...newest.values()].flatMap(({ name, content }) =>
        content === undefined ? [] : [[name.slice(prefix), content]],
      );
      deepEqual(found.sort(byPath), [...this.truthAt(moment)].sort(byPath), `at ${momentOf(moment)}`);
    }
  }
}

interface Version {
  readonly name: string;
  readonly at: number;
  /** The number of its batch; the first is 1. */
  readonly order: number;
  readonly from: number;
  /** Undefined if it is deleted. */
  readonly content: string | undefined;
}

const isLater = ({ name, order, at }: Version, newest: ReadonlyMap<string, Version>): boolean => {
  const known = newest.get(name);
  return !known || order > known.order || (order === known.order && at >= known.at);
};
const byPath = ([a = '']: readonly string[], [b = '']: readonly string[]): number => (a < b ? -1 : 1);
