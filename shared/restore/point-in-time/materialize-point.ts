/** The backup of a restore to a moment: made by its first step, of a base and what was captured since. */
import { keyFileName } from '../../archive/index.ts';
import {
  type BackupRecord,
  backupEvent,
  backupKey,
  countInOrganization,
  expiryOf,
  type NewDataKey,
  retentionNote,
  topCollections,
} from '../../backup/index.ts';
import { countBackups, type ObjectStore, readDestination } from '../../destination/index.ts';
import { emit } from '../../event/index.ts';
import { JobFailure, RunControl } from '../../job/index.ts';
import { buildRestorePoint, loadRestorePoint, pointBackup } from '../../pitr/index.ts';
import { after, bestEffort, commit, create, isConflict, iso, type Tenant, type Write } from '../../platform/index.ts';
import { throwAsUploadError, asUploadStore } from '../model/journal.ts';
import type { RestoreRecord } from '../model/record.ts';
import { turnHoldIntoDependency } from '../model/release-holds.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { updateRunning, assertStillRunning, loadRunning } from '../model/running-restore.ts';
import { withObjectNames } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { deleteDiscardedAttempts, attemptPath } from './materialize-attempts.ts';

/** The step has 900 s; what comes after it takes the rest. */
const makingSeconds = 780;
/** Of the 1,769 MB that the step has: with what names and leaves take beside, some 1,200 are used. */
const changesBytesMax = 768 << 20;
const lookSeconds = 5;

/** The restore with its backup made. May run again at any point: each run begins anew in a folder of its own, and one is kept. */
export const materializePoint = async (tenant: Tenant, restore: RestoreRecord, engine: RestoreDeps): Promise<RestoreRecord> => {
  if (!restore.point || restore.pointMade !== undefined) return restore;
  const begun = await beginTry(tenant, restore);
  if (begun.pointMade === undefined) await runTry(tenant, begun, engine);
  const { restore: made } = await loadRunning(tenant, restore.id, restore.attempt);
  if (made.pointMade === undefined) throw new Error('another run makes the same moment');
  await bestEffort('remove what given-up tries left', deleteDiscardedAttempts(tenant, made, engine.openStore));
  return made;
};

/** Only the last try given out is kept. */
const beginTry = async (tenant: Tenant, { id, attempt, pointTries = 0 }: RestoreRecord): Promise<RestoreRecord> => {
  const expected = { attempt, pointMade: undefined, pointTries: pointTries === 0 ? undefined : pointTries };
  try {
    await commit([updateRunning(tenant, id, { set: { pointTries: pointTries + 1 }, expected })]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  return (await loadRunning(tenant, id, attempt)).restore;
};

const runTry = async (tenant: Tenant, restore: RestoreRecord, engine: RestoreDeps): Promise<void> => {
  const { point, pointTries: number = 1, projectId } = restore;
  if (!point) throw new Error('a restore without a moment');
  const plan = await loadRestorePoint(tenant, projectId, point);
  const { backupId: id, backupCreatedAt: createdAt, createdBy } = restore;
  const path = attemptPath(point.path, number);
  const blank = pointBackup(tenant, plan, { id, path, createdAt, createdBy });
  const key = await engine.newDataKey(tenant, blank.archive);
  const backup: BackupRecord = { ...blank, keyFile: key.keyFile, encryption: key.encryption };
  const { clock } = engine;
  const halt = new RunControl(after(clock.now(), makingSeconds), clock);
  const store = await openFolder(tenant, backup, engine);
  try {
    await storeKey(store, key.keyFile);
    const beat = beatOf(tenant, restore, halt, engine);
    const made = await buildRestorePoint({
      ...{ tenant, backup, plan, store, dataKey: key.dataKey, doors: withObjectNames(engine), halt, beat },
      bytesMax: changesBytesMax,
    });
    await keep(tenant, restore, backup, made, key, clock.now());
  } finally {
    halt.close();
    store.close();
  }
};

/** Whatever it refuses is told as a failed upload: other stores are read beside it. */
const openFolder = async (
  tenant: Tenant,
  { storageDestination, path }: BackupRecord,
  engine: RestoreDeps,
): Promise<ObjectStore> =>
  asUploadStore(await engine.openStore(tenant, await readDestination(tenant, storageDestination.id), path).catch(throwAsUploadError));

/** Without its key in the bucket nobody but us could read it. */
const storeKey = (store: ObjectStore, keyFile: Uint8Array): Promise<void> => store.put(keyFileName, keyFile);

/** Whoever cancels it is heard within seconds; one that takes longer than a step has is not begun again. */
const beatOf = (tenant: Tenant, restore: RestoreRecord, halt: RunControl, { clock }: RestoreDeps): (() => Promise<void>) => {
  let next = after(clock.now(), lookSeconds);
  return async () => {
    if (halt.isYielding)
      throw new JobFailure(
        'INTERNAL_ERROR',
        'There are more changes since the last backup before this moment than can be put together in time; restore a backup instead',
      );
    if (clock.now() < next) return;
    next = after(clock.now(), lookSeconds);
    await assertStillRunning(tenant, restore);
  };
};

type Made = Awaited<ReturnType<typeof buildRestorePoint>>;

/** It becomes a backup, and what it was made of is held no longer by us: it is needed by the backup now. */
const keep = async (
  tenant: Tenant,
  restore: RestoreRecord,
  backup: BackupRecord,
  made: Made,
  { check }: NewDataKey,
  now: Date,
): Promise<void> => {
  const { id, attempt, pointTries, point } = restore;
  const record = recordOf(backup, made, now);
  const { organization } = await loadRunning(tenant, id, attempt);
  const { project } = await loadRestoreContext(tenant, restore, organization);
  const writes: readonly Write[] = [
    updateRunning(tenant, id, { set: { pointMade: pointTries }, expected: { attempt, pointTries, pointMade: undefined } }),
    check,
    create(record),
    { put: { ...backupKey.archive(tenant, record.archive.backup, record.id), backupId: record.id } },
    countBackups(tenant, record.storageDestination.id, 1),
    countInOrganization(tenant, 1, record.size),
    retentionNote(tenant, now),
    ...(point?.holds ?? []).map((held) => turnHoldIntoDependency(tenant, { id: held })),
    ...(project ? [emit(tenant, 'backup.completed', backupEvent(record, project, organization), now)] : []),
  ];
  try {
    await commit(writes);
  } catch (error) {
    // Another run has kept its own, or the restore has ended: the next look tells.
    if (!isConflict(error)) throw error;
  }
};

const recordOf = (backup: BackupRecord, { contents, size, manifestDigest, needs }: Made, now: Date): BackupRecord => ({
  ...backup,
  documents: contents.documents,
  totalDocuments: contents.documents,
  size,
  originalSize: contents.originalSize,
  documentCount: contents.documents,
  collectionCounts: topCollections(contents.collections.filter(([, documents]) => documents > 0)),
  countVerified: contents.countVerified,
  manifestDigest,
  ...(needs.length > 0 && { needs }),
  completedAt: iso(now),
  expiresAt: expiryOf(backup, now),
  // The restore it is made for: it is let go of when that ends.
  restoring: 1,
});
