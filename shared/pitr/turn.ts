/** One turn of a project's capture: whatever happens, it leaves the old state or the new one, and says when the next is due. */
import { type BackupRecord, backupKey, type Engine } from '../backup/index.ts';
import { readDestination } from '../destination/index.ts';
import { ListenLost, type Source, SourceError } from '../firestore/index.ts';
import { failureOf } from '../job/index.ts';
import { commit, create, get, iso, log, newId, Overtaken, randomness, type Tenant } from '../platform/index.ts';
import { unauthorizedWrite } from '../project/index.ts';
import { BatchWriter } from './batch-writer.ts';
import { begin } from './beginning.ts';
import { isCheckDue } from './coverage.ts';
import { listen } from './listening.ts';
import { lose } from './loss.ts';
import { microsOf } from './moment.ts';
import { type PitrRecord, pitrKey } from './record.ts';
import { isLookedFor, type Refresh, refresh } from './refreshing.ts';
import { save } from './saving.ts';
import { readScene, type Scene } from './scene.ts';
import { afterSpending, lookupsLeft, nothingSpent, type Spending } from './spending.ts';
import { TooManyCollections } from './tokens.ts';
import { putOffSeconds } from './trouble.ts';
import { endTurn, type Next, nextOf } from './turning.ts';

/** The source remembers an hour: what begins later than this may not end in time. */
export const awayMaxSeconds = 50 * 60;
const soonSeconds = 5;
/** A message is kept back for whole seconds: one that comes this much early is in time. */
const earlyMs = 1_000;

/** What the queue is to bring next; undefined if nothing: it was another turn's message, or nothing is to be captured any more. */
export const captureTurn = async (
  tenant: Tenant,
  { projectId, turn }: { readonly projectId: string; readonly turn: number },
  engine: Engine,
  signal: AbortSignal,
): Promise<Next | undefined> => {
  const scene = await readScene(tenant, projectId);
  if (scene?.pitr.turn !== turn) return undefined;
  const earlyBy = Date.parse(scene.pitr.nextTurnAt ?? '') - engine.clock.now().getTime();
  if (earlyBy > earlyMs) return { turn, delaySeconds: earlyBy / 1_000 };
  const spending = nothingSpent();
  try {
    return await (scene.pitr.status === 'starting' ? begin(scene, engine) : capture(scene, spending, engine, signal));
  } catch (error) {
    if (error instanceof Overtaken) return afterOthers(tenant, { projectId, turn });
    return putOff(scene, error, spending, engine);
  }
};

/** Another run has ended the turn, or it was disabled: whoever did that goes on. Else only what is kept has changed. */
const afterOthers = async (tenant: Tenant, { projectId, turn }: { readonly projectId: string; readonly turn: number }) =>
  (await readScene(tenant, projectId))?.pitr.turn === turn ? { turn, delaySeconds: soonSeconds } : undefined;

const capture = async (scene: Scene, spending: Spending, engine: Engine, signal: AbortSignal): Promise<Next> => {
  const { pitr } = scene;
  const begun = engine.clock.now();
  const capturedTo = microsOf(pitr.capturedTo ?? '');
  if (begun.getTime() * 1_000 - capturedTo > awayMaxSeconds * 1_000_000)
    return lose(scene, { reason: awayReason(pitr), spending }, begun);
  try {
    return await captureOnce(await withKey(scene), { spending, signal }, engine);
  } catch (error) {
    const now = engine.clock.now();
    if (error instanceof ListenLost) return lose(scene, { reason: error.message, spending }, now);
    if (error instanceof TooManyCollections) return lose(scene, { reason: error.message, spending, isTooLarge: true }, now);
    if (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED')
      return lose(scene, { reason: 'the source no longer tells what changed since the last capture', spending }, now);
    throw error;
  }
};

const awayReason = ({ trouble }: PitrRecord): string =>
  `nothing could be captured for more than ${awayMaxSeconds / 60} minutes${trouble === undefined ? '' : `: ${trouble}`}`;

interface Keyed extends Scene {
  /** The newest base, whose key what is captured is sealed under. */
  readonly keyBackup: BackupRecord | undefined;
}

/** What was found damaged of it meanwhile is noted with this turn. */
const withKey = async (scene: Scene): Promise<Keyed> => {
  const { tenant, pitr } = scene;
  const base = pitr.bases.at(-1);
  const keyBackup = base && ((await get(backupKey.backup(tenant, base.backupId))) as BackupRecord | undefined);
  if (!base || keyBackup?.damagedDepth === undefined) return { ...scene, keyBackup };
  return { ...scene, keyBackup, pitr: { ...pitr, bases: [...pitr.bases.slice(0, -1), { ...base, isDamaged: true }] } };
};

interface Once {
  readonly spending: Spending;
  readonly signal: AbortSignal;
}

const captureOnce = async (scene: Keyed, once: Once, engine: Engine): Promise<Next> => {
  const { spending, signal } = once;
  const { tenant, pitr, project, keyBackup } = scene;
  const begun = engine.clock.now();
  // What was added to it is worth nothing without it.
  if (keyBackup?.status !== 'completed')
    return lose(scene, { reason: 'the base backup is gone', spending, goneBase: pitr.bases.at(-1) }, begun);
  const refreshed = await refresh(scene, engine);
  const source = engine.openSource(tenant, project);
  try {
    const tried = await source.anew(
      (refresh) => tryOnce(scene, { ...once, refreshed, keyBackup, source, refresh }, engine),
      signal,
    );
    const now = engine.clock.now();
    const delaySeconds = Math.max(0, pitr.captureIntervalSeconds - (now.getTime() - begun.getTime()) / 1_000);
    return await save(scene, { ...tried, refresh: refreshed, keyBackupId: keyBackup.id, delaySeconds, spending }, now);
  } finally {
    source.close();
  }
};

interface Try extends Once {
  readonly refreshed: Refresh;
  readonly keyBackup: BackupRecord;
  readonly source: Source;
  readonly refresh: boolean;
}

/** Each try stores under a name of its own: no two runs ever write the same object. */
const tryOnce = async (scene: Scene, { keyBackup, refreshed, spending, source, refresh, signal }: Try, engine: Engine) => {
  const { tenant, pitr, project, standings } = scene;
  const [dataKey, destination] = await Promise.all([
    engine.dataKeyOf(tenant, keyBackup),
    readDestination(tenant, pitr.storageDestination.id),
  ]);
  const batchId = newId('capture', engine.clock.now());
  const path = [destination.prefix, project.id, 'pitr', batchId].filter((part) => part !== '').join('/');
  const openStore = async () => {
    const note = { id: batchId, path, storageDestinationId: destination.id, since: iso(engine.clock.now()) };
    await commit([create({ ...pitrKey.upload(tenant, project.id, batchId), ...note })]);
    return engine.openStore(tenant, destination, path);
  };
  const { organization, project: archiveProject, backup } = keyBackup.archive;
  const identity = { organization, project: archiveProject, backup };
  const writer = new BatchWriter({ identity, dataKey, random: randomness, openStore, signal });
  try {
    const captured = await listen(source, {
      standings: [...standings, ...refreshed.found],
      from: microsOf(pitr.capturedTo ?? ''),
      lookupsLeft: pitr.precision === 'second' ? lookupsLeft(pitr, spending, engine.clock.now()) : undefined,
      isCheckDue: (reads, to) =>
        isLookedFor(refreshed, standings)
          ? refreshed.base !== undefined
          : isCheckDue({ ...pitr, ...refreshed.changed }, reads, to),
      ...{ spending, writer, refresh, signal },
    });
    return { captured, batchId, path };
  } finally {
    await writer.close();
  }
};

/** The turn is tried again shortly, as the next one: of several messages of one turn only one goes on. */
const putOff = async (scene: Scene, error: unknown, spending: Spending, engine: Engine): Promise<Next | undefined> => {
  const now = engine.clock.now();
  const { pitr } = scene;
  const delaySeconds = putOffSeconds(pitr);
  const failure = failureOf(error);
  const trouble = failure?.message ?? 'an internal error';
  const changed = { putOffs: (pitr.putOffs ?? 0) + 1, trouble, ...afterSpending(pitr, spending, now) };
  log.warn('a capture failed and is tried again', { projectId: scene.project.id, error });
  const isRefused = failure?.code === 'SOURCE_AUTH_ERROR' && scene.project.status === 'connected';
  try {
    await commit([
      endTurn(scene, changed, now, delaySeconds),
      ...(isRefused ? [unauthorizedWrite(scene.tenant, scene.project, now)] : []),
    ]);
    return nextOf(scene, delaySeconds);
  } catch (again) {
    if (again instanceof Overtaken) return undefined;
    throw error;
  }
};
