/** A project with captures, and a clock that can be advanced without waiting. */
import { lastKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import { streamLeaves } from '../../../shared/archive/index.ts';
import { type BackupRecord, openArchive } from '../../../shared/backup/index.ts';
import { type DestinationRecord, type MemoryStore, type ObjectStore, StorageError } from '../../../shared/destination/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { enablePitr, type PitrRecord, pitrKey, runCaptureCycle } from '../../../shared/pitr/index.ts';
import { commit, newId } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import type { RestoreRecord } from '../../../shared/restore/index.ts';
import { readRestoreRequest, startRestore } from '../../../shared/restore/index.ts';
import { organizationNow, sourceTime } from './backup-env.ts';
import {
  bareFields,
  createRestoreEnv,
  destinationId,
  fieldsOf,
  projectId,
  put,
  type RestoreEnv,
  server,
  table,
  takeBackup,
  targetId,
  tenant,
} from './restore-env.ts';

export interface PointInTimeEnv extends RestoreEnv {
  base: BackupRecord;
  /** Advances both clocks. */
  readonly pass: (seconds: number) => void;
}

export type Precision = PitrRecord['precision'];

/** A base backup of `documents`, an incremental one of `more`, and captures that have begun. */
export const createPointInTimeEnv = async (
  documents: Parameters<typeof put>[1],
  precision: Precision = 'second',
  more?: Parameters<typeof put>[1],
): Promise<PointInTimeEnv> => {
  const world = createRestoreEnv();
  let aheadMs = 0;
  const nowMs = () => Date.now() + aheadMs;
  sourceTime.nowMs = nowMs;
  world.nowMs = nowMs;
  const { openStore } = world.engine;
  const engine = {
    ...world.engine,
    // Each folder has a store of its own; the parent folder of batches forwards to theirs.
    openStore: async (...[owner, destination, folder]: Parameters<typeof openStore>) =>
      folder.endsWith('/pitr') ? batchFolders(world, folder) : openStore(owner, destination, folder),
  };
  const pass = (seconds: number): void => {
    // Whole milliseconds, as clocks have.
    aheadMs += Math.round(seconds * 1_000);
  };
  const moment: PointInTimeEnv = Object.assign(world, { engine, pass, base: undefined as unknown as BackupRecord });
  await put(world, documents);
  moment.base = await takeBackup(world);
  if (more) {
    await put(world, more);
    moment.base = await takeBackup(world, { type: 'incremental', parentBackupId: moment.base.id, chainLength: 1 });
  }
  await enable(moment, precision);
  await runCycle(moment);
  return moment;
};

/** The parent folder of batches, for reading. */
const batchFolders = (world: RestoreEnv, folder: string): ObjectStore => {
  const find = (name: string): { store: MemoryStore; rest: string } => {
    const end = name.indexOf('/');
    const store = world.stores.get(`${folder}/${name.slice(0, end)}`);
    if (!store) throw new StorageError('missing', 'There is no such object.');
    return { store, rest: name.slice(end + 1) };
  };
  return {
    get: async (name: string, extent: Parameters<ObjectStore['get']>[1]) => find(name).store.get(find(name).rest, extent),
    head: async (name: string) => find(name).store.head(find(name).rest),
    close: () => undefined,
  } as unknown as ObjectStore;
};

const userId = newId('user');

export const callerContext = {
  tenant,
  get organization() {
    return organizationNow();
  },
  role: 'owner',
  actor: { type: 'user', id: userId, email: 'ada@example.com' },
  encryption: { mode: 'kms', keyId: 'key' },
  createdBy: { type: 'user', id: userId },
} as const;

const enable = async (world: PointInTimeEnv, precision: Precision): Promise<void> => {
  const { change } = enablePitr(
    callerContext,
    {
      project: table.get<ProjectRecord>(projectKey.project(tenant, projectId))!,
      destination: table.get<DestinationRecord>(organizationKey.storageDestination(tenant, destinationId))!,
      before: undefined,
    },
    { retentionDays: 7, captureIntervalSeconds: 10, precision },
    world.engine.clock.now(),
  );
  await commit(change.writes);
};

export const pitrNow = (): PitrRecord => table.get<PitrRecord>(pitrKey.pitr(tenant, projectId))!;

/** One capture cycle, when it is due. */
export const runCycle = async (world: PointInTimeEnv): Promise<void> => {
  const { turn: number, nextTurnAt } = pitrNow();
  const early = Date.parse(nextTurnAt ?? '') - world.nowMs();
  if (early > 0) world.pass(early / 1_000);
  await runCaptureCycle(tenant, { projectId, turn: number }, world.engine, AbortSignal.timeout(60_000));
};

/** The documents of the source at a time, without names and times. */
export const sourceAt = (world: PointInTimeEnv, moment: string): ReadonlyMap<string, string> => {
  const database = server.databases.open({ projectId: world.sourceProjectId, databaseId: '(default)' });
  const all = [...database.scan('', lastKey, Date.parse(moment) * 1_000)];
  return new Map(all.map(({ path, bytes }) => [path, bareFields(Buffer.from(bytes))]));
};

/** Advances a little beyond the next whole second and returns it: earlier writes are in it, later ones are not. */
export const nextSecond = (world: PointInTimeEnv): string => {
  world.pass((1_200 - (world.nowMs() % 1_000)) / 1_000);
  return new Date(Math.floor(world.nowMs() / 1_000) * 1_000).toISOString();
};

/** The documents of a backup by path, without names and times. */
export const contentsOf = async (
  backup: BackupRecord,
  deps: Pick<RestoreEnv['engine'], 'openStore' | 'dataKeyOf'>,
): Promise<ReadonlyMap<string, string>> => {
  const { archive, close } = await openArchive(tenant, backup, undefined, deps);
  const found = new Map<string, string>();
  const prefix = `${archive.manifest.source}/documents/`.length;
  for await (const { segment, leaf } of streamLeaves(archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      found.set(leaf.name(slot).subarray(prefix).toString(), bareFields(leaf.content(slot)));
  close();
  return found;
};

export interface PointInTimeInput {
  readonly pointInTime: string;
  readonly targetProjectId?: string;
  readonly collections?: readonly string[];
  readonly documentIds?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

export const bodyOf = ({ options, ...input }: PointInTimeInput) =>
  ({
    projectId,
    targetProjectId: targetId,
    ...input,
    options: { mergeMode: 'rollback', dryRun: false, includeSubcollections: true, safetyBackup: true, ...options },
  }) as unknown as Parameters<typeof readRestoreRequest>[1];

/** Like POST /backups/restore. */
export const startPointInTimeRestore = async (world: PointInTimeEnv, input: PointInTimeInput): Promise<RestoreRecord> => {
  const now = world.engine.clock.now();
  const { options, pointRequest, ...context } = await readRestoreRequest(tenant, bodyOf(input), now);
  const encryption = { mode: 'kms', keyId: 'key' } as const;
  const createdBy = { type: 'user', id: newId('user') };
  const { restore, writes } = startRestore(
    { ...context, tenant, encryption, point: pointRequest?.point },
    { ...options, createdBy },
    now,
  );
  await commit(writes);
  return restore;
};

export const targetNow = (world: PointInTimeEnv): ReadonlyMap<string, string> => fieldsOf(world, 'target');
