/** A project that is captured, with a clock that can be put forward: seconds pass without being waited for. */
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
  /** Puts both clocks forward. */
  readonly pass: (seconds: number) => void;
}

export type Precision = PitrRecord['precision'];

/** A base of what `documents` says, with `more` as an incremental one, and captures that have begun. */
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
    // Folders are apart in this world: one that holds those of batches leads to each of them.
    openStore: async (...[who, place, folder]: Parameters<typeof openStore>) =>
      folder.endsWith('/pitr') ? around(world, folder) : openStore(who, place, folder),
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

/** What is read of batches by a folder around theirs. */
const around = (world: RestoreEnv, folder: string): ObjectStore => {
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

/** Someone of the organization. */
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

/** One turn, as the queue brings it in time. */
export const runCycle = async (world: PointInTimeEnv): Promise<void> => {
  const { turn: number, nextTurnAt } = pitrNow();
  const early = Date.parse(nextTurnAt ?? '') - world.nowMs();
  if (early > 0) world.pass(early / 1_000);
  await runCaptureCycle(tenant, { projectId, turn: number }, world.engine, AbortSignal.timeout(60_000));
};

/** What was in the source at that moment, by its own account, without names and times. */
export const sourceAt = (world: PointInTimeEnv, moment: string): ReadonlyMap<string, string> => {
  const database = server.databases.open({ projectId: world.sourceProjectId, databaseId: '(default)' });
  const all = [...database.scan('', lastKey, Date.parse(moment) * 1_000)];
  return new Map(all.map(({ path, bytes }) => [path, bareFields(Buffer.from(bytes))]));
};

/** The next whole second, of which a little is over then: what was written before is in it, and what comes is not. */
export const nextSecond = (world: PointInTimeEnv): string => {
  world.pass((1_200 - (world.nowMs() % 1_000)) / 1_000);
  return new Date(Math.floor(world.nowMs() / 1_000) * 1_000).toISOString();
};

/** What a backup holds, by path, without names and times. */
export const contentsOf = async (
  backup: BackupRecord,
  doors: Pick<RestoreEnv['engine'], 'openStore' | 'dataKeyOf'>,
): Promise<ReadonlyMap<string, string>> => {
  const { archive, close } = await openArchive(tenant, backup, undefined, doors);
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

export const bodyOf = ({ options, ...ask }: PointInTimeInput) =>
  ({
    projectId,
    targetProjectId: targetId,
    ...ask,
    options: { mergeMode: 'rollback', dryRun: false, includeSubcollections: true, safetyBackup: true, ...options },
  }) as unknown as Parameters<typeof readRestoreRequest>[1];

/** As POST /backups/restore does it. */
export const startPointInTimeRestore = async (world: PointInTimeEnv, ask: PointInTimeInput): Promise<RestoreRecord> => {
  const now = world.engine.clock.now();
  const { options, pointRequest, ...place } = await readRestoreRequest(tenant, bodyOf(ask), now);
  const encryption = { mode: 'kms', keyId: 'key' } as const;
  const createdBy = { type: 'user', id: newId('user') };
  const { restore, writes } = startRestore(
    { ...place, tenant, encryption, point: pointRequest?.point },
    { ...options, createdBy },
    now,
  );
  await commit(writes);
  return restore;
};

export const targetNow = (world: PointInTimeEnv): ReadonlyMap<string, string> => fieldsOf(world, 'target');
