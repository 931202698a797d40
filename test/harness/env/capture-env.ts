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
  disablePitr,
  enablePitr,
  listBatchesBetween,
  microsOf,
  momentOf,
  type PitrRecord,
  type PitrSettings,
  pitrKey,
  readBatch,
  runCaptureCycle,
  windowsOf,
} from '../../../shared/pitr/index.ts';
import { commit, newId } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import {
  destinationId,
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

export { projectId, server, table, tenant } from './backup-env.ts';

const databaseId = '(default)';
process.env.DATA_KEY_ID = 'key';
const actor = { type: 'user', id: newId('user'), email: null } as const;

/** The clock of the source, the table and the worker. */
export const time = { ms: Date.UTC(2030, 5, 1, 12) };
export const pass = (seconds: number): void => {
  time.ms += seconds * 1_000;
};

export interface CaptureWorld extends World {
  readonly folders: Map<string, MemoryStore>;
  /** Wraps each folder's store, to inject faults. */
  wrap: (store: MemoryStore) => ObjectStore;
}

export const newCaptureWorld = (): CaptureWorld => {
  time.ms += 3_600_000;
  sourceTime.nowMs = () => time.ms;
  const world = newWorld();
  const folders = new Map<string, MemoryStore>();
  const folder = (path: string): MemoryStore => {
    const store = folders.get(path) ?? new MemoryStore();
    folders.set(path, store);
    return store;
  };
  const engine: BackupDeps = {
    ...world.engine,
    clock: { now: () => new Date(time.ms) },
    openStore: async (_tenant, _destination, path) => captured.wrap(folder(path)),
  };
  const captured: CaptureWorld = { ...world, engine, folders, wrap: (store) => store };
  return captured;
};

type Written = Readonly<Record<string, string | null>>;

/** Writes documents by path in one commit; null deletes. */
export const put = async (world: World, documents: Written): Promise<void> => {
  const name = { projectId: world.sourceProjectId, databaseId };
  const writes = Object.entries(documents).map(([path, text]) => {
    const full = `${rootOf(world)}/${path}`;
    const write = text === null ? { delete: full } : { update: proto.Document.encode({ name: full, fields: textField(text) }) };
    return parseWrite(proto.Write.encode(write), name);
  });
  await commitWrites(server.databases.open(name), writes);
};

const database = ({ sourceProjectId }: World) => server.databases.open({ projectId: sourceProjectId, databaseId });

/** The database at a moment: bytes by path. */
export const truthAt = (world: World, micros: number): ReadonlyMap<string, string> =>
  new Map([...database(world).scan('', lastKey, micros)].map(({ path, bytes }) => [path, Buffer.from(bytes).toString('hex')]));

export const pitrNow = (): PitrRecord => table.get<PitrRecord>(pitrKey.pitr(tenant, projectId))!;
export const batches = (): readonly BatchRecord[] =>
  table.find(pitrKey.tokens(tenant, projectId).pk, 'BATCH#') as unknown as readonly BatchRecord[];
export const uploads = (): number => table.find(pitrKey.tokens(tenant, projectId).pk, 'UPLOAD#').length;

const caller = () => ({
  tenant,
  organization: table.get<OrganizationRecord>(organizationKey.organization(tenant))!,
  role: 'owner' as const,
  actor,
});

/** Like POST …/pitr. */
export const enable = async (settings: Partial<PitrSettings> = {}): Promise<void> => {
  const { change } = enablePitr(
    caller(),
    {
      project: table.get<ProjectRecord>(projectKey.project(tenant, projectId))!,
      destination: await readDestination(tenant, destinationId),
      before: table.get<PitrRecord>(pitrKey.pitr(tenant, projectId)),
    },
    { retentionDays: 7, captureIntervalSeconds: 60, precision: 'second', ...settings },
    new Date(time.ms),
  );
  await commit(change.writes);
};

export const disable = async (): Promise<void> => {
  const project = table.get<ProjectRecord>(projectKey.project(tenant, projectId))!;
  await commit(disablePitr(caller(), project, pitrNow(), new Date(time.ms)).change.writes);
};

export const runCycle = (world: CaptureWorld, number = pitrNow().turn) =>
  runCaptureCycle(tenant, { projectId, turn: number }, world.engine, AbortSignal.timeout(60_000));

/** Runs cycles, and the base backup they request, until captures are active. */
export const untilActive = async (world: CaptureWorld): Promise<void> => {
  for (let cycles = 0; pitrNow().status !== 'active'; cycles++) {
    if (cycles > 100) throw new Error('captures did not begin');
    await runCycle(world);
    await runRequestedBase(world);
    const { nextTurnAt } = pitrNow();
    time.ms = Math.max(time.ms, Date.parse(nextTurnAt ?? ''));
  }
};

/** Runs the requested base backup, if there is one. */
export const runRequestedBase = async (world: CaptureWorld): Promise<void> => {
  const { comingBaseId } = pitrNow();
  if (comingBaseId === null) return;
  const { status } = table.get<{ status: string }>(backupKey.backup(tenant, comingBaseId))!;
  if (status === 'pending') await runWorkflow(world, comingBaseId);
};

/** Runs the next cycle when it is due. */
export const runNextCycle = async (world: CaptureWorld) => {
  time.ms = Math.max(time.ms, Date.parse(pitrNow().nextTurnAt ?? ''));
  return runCycle(world);
};

interface Version {
  readonly name: string;
  readonly at: number;
  /** The number of its batch; the first is 1. */
  readonly order: number;
  readonly from: number;
  /** Undefined if it is deleted. */
  readonly content: string | undefined;
}

/** All versions in base and batches; those of the base have time 0. */
const versionsFrom = async (world: CaptureWorld, { backupId, readTime }: Base): Promise<readonly Version[]> => {
  const versions: Version[] = [];
  const open = await openArchive(tenant, await readBackup(tenant, backupId), undefined, world.engine);
  for await (const { leaf, segment } of streamLeaves(open.archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      if (leaf.kind(slot) === recordKind.document)
        versions.push({
          name: leaf.name(slot).toString(),
          at: 0,
          order: 0,
          from: 0,
          content: leaf.content(slot).toString('hex'),
        });
  let order = 0;
  for await (const batch of listBatchesBetween(tenant, projectId, readTime, momentOf(time.ms * 1_000))) {
    const origin = { order: ++order, from: microsOf(batch.from) };
    for await (const leaf of readBatch(tenant, batch, world.engine))
      for (let slot = 0; slot < leaf.count; slot++) {
        const { seconds, nanos } = leaf.updated(slot);
        const isGone = leaf.kind(slot) === recordKind.tombstone;
        const content = isGone ? undefined : leaf.content(slot).toString('hex');
        versions.push({
          name: leaf.name(slot).toString(),
          at: seconds * 1_000_000 + Math.floor(nanos / 1_000),
          content,
          ...origin,
        });
      }
  }
  return versions;
};

/** Asserts that base and batches alone yield the state of the source at each moment; a later batch overrides an earlier one. */
export const assertExact = async (world: CaptureWorld, moments: readonly number[] = secondsIn()): Promise<void> => {
  ok(moments.length > 0, 'no moment to check');
  const known = new Map<string, readonly Version[]>();
  const prefix = rootOf(world).length + 1;
  for (const moment of moments) {
    const base = baseFor(pitrNow(), momentOf(moment))!;
    const versions = known.get(base.backupId) ?? (await versionsFrom(world, base));
    known.set(base.backupId, versions);
    const since = microsOf(base.readTime);
    const newest = new Map<string, Version>();
    for (const version of versions)
      if (version.at === 0 || (version.at > since && version.at <= moment && version.from < moment && isLater(version, newest)))
        newest.set(version.name, version);
    const found = [...newest.values()].flatMap(({ name, content }) =>
      content === undefined ? [] : [[name.slice(prefix), content]],
    );
    deepEqual(found.sort(byPath), [...truthAt(world, moment)].sort(byPath), `at ${momentOf(moment)}`);
  }
};
const isLater = ({ name, order, at }: Version, newest: ReadonlyMap<string, Version>): boolean => {
  const known = newest.get(name);
  return !known || order > known.order || (order === known.order && at >= known.at);
};
const byPath = ([a = '']: readonly string[], [b = '']: readonly string[]): number => (a < b ? -1 : 1);

/** Every whole second of the windows with second precision. */
export const secondsIn = (windows = windowsOf(pitrNow(), new Date(time.ms)).windows): readonly number[] =>
  windows.flatMap(({ from, to, precision }) => {
    if (precision !== undefined) return [];
    const seconds: number[] = [];
    for (let at = microsOf(from); at <= microsOf(to); at += 1_000_000) seconds.push(at);
    return seconds;
  });

/** Active captures of these documents. */
export const begun = async (documents: Readonly<Record<string, string>>, settings = {}): Promise<CaptureWorld> => {
  const world = newCaptureWorld();
  await put(world, documents);
  pass(5.4);
  await enable(settings);
  await untilActive(world);
  return world;
};
