/** Builds the backup of a point-in-time restore, as its first step, from a base backup and the changes captured since. */
import { keyFileName } from '../../archive/index.ts';
import { countBackups, readDestination } from '../../destination/index.ts';
import { JobFailure, RunControl, throwAsUploadError } from '../../job/index.ts';
import { buildRestorePoint, loadRestorePoint, pointBackupRecord } from '../../pitr/index.ts';
import { after, bestEffort, commit, create, isConflict, type Tenant, type Write } from '../../platform/index.ts';
import {
  addedBackupErasureTasks,
  type BackupRecord,
  backupKey,
  completedFields,
  countInOrganization,
  expiryOf,
  lifecycleEvents,
  markRetentionDue,
  type NewDataKey,
  topCollections,
} from '../../stored-backup/index.ts';
import { asUploadStore } from '../model/journal.ts';
import type { RestoreRecord } from '../model/record.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { turnHoldIntoDependency } from '../model/restore-end-context.ts';
import { assertStillRunning, loadRunning, updateRunning } from '../model/running-restore.ts';
import { withObjectNames } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { attemptPath, deleteDiscardedAttempts } from './materialize-attempts.ts';

/** The step has 900 s; splitting into shards takes the rest. */
const buildSeconds = 780;
/** The step has 1,769 MB; names and leaves bring the total to about 1,200 MB. */
const changesBytesMax = 768 << 20;
const checkSeconds = 5;

/** Returns the restore with its backup built. Idempotent: each run starts over in a folder of its own, and one run wins. */
export const materializePoint = async (tenant: Tenant, restore: RestoreRecord, deps: RestoreDeps): Promise<RestoreRecord> => {
  if (!restore.point || restore.pointMade !== undefined) return restore;
  const started = await startAttempt(tenant, restore);
  if (started.pointMade === undefined) await runAttempt(tenant, started, deps);
  const built = await reload(tenant, restore);
  if (built.pointMade === undefined) throw new Error('another run is building the same point in time');
  await bestEffort('delete discarded attempts', deleteDiscardedAttempts(tenant, built, deps.openStore));
  return built;
};

const reload = async (tenant: Tenant, { id, attempt }: RestoreRecord): Promise<RestoreRecord> =>
  (await loadRunning({ tenant, restoreJobId: id, attempt })).restore;

/** Only the last attempt handed out can become the backup. */
const startAttempt = async (tenant: Tenant, restore: RestoreRecord): Promise<RestoreRecord> => {
  const { id, attempt, pointTries = 0 } = restore;
  const expected = { attempt, pointMade: undefined, pointTries: pointTries === 0 ? undefined : pointTries };
  try {
    await commit([updateRunning(tenant, id, { set: { pointTries: pointTries + 1 }, expected })]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  return reload(tenant, restore);
};

const runAttempt = async (tenant: Tenant, restore: RestoreRecord, deps: RestoreDeps): Promise<void> => {
  const { point, pointTries: number = 1, projectId } = restore;
  if (!point) throw new Error('the restore has no point in time');
  const plan = await loadRestorePoint(tenant, projectId, point);
  const { backupId: id, backupCreatedAt: createdAt, createdBy } = restore;
  const path = attemptPath(point.path, number);
  const blank = pointBackupRecord(tenant, plan, { id, path, createdAt, createdBy });
  const key = await deps.newDataKey(tenant, blank.archive);
  const backup: BackupRecord = { ...blank, keyFile: key.keyFile, encryption: key.encryption };
  const { clock } = deps;
  const control = new RunControl(after(clock.now(), buildSeconds), clock);
  const destination = await readDestination(tenant, backup.storageDestination.id);
  // Upload errors are told apart from errors of the stores that are read.
  const store = asUploadStore(await deps.openStore(tenant, destination, path).catch(throwAsUploadError));
  try {
    // The key file in the bucket makes the backup readable without the service.
    await store.put(keyFileName, key.keyFile);
    const built = await buildRestorePoint({
      tenant,
      backup,
      plan,
      store,
      dataKey: key.dataKey,
      deps: withObjectNames(deps),
      control,
      beat: progressCheck(tenant, { restore, control, deps }),
      bytesMax: changesBytesMax,
    });
    await commitPoint(tenant, restore, { backup, built, key, now: clock.now() });
  } finally {
    control.close();
    store.close();
  }
};

/** Notices a cancellation within seconds, and fails a build that does not fit into the step. */
const progressCheck = (
  tenant: Tenant,
  {
    restore,
    control,
    deps: { clock },
  }: { readonly restore: RestoreRecord; readonly control: RunControl; readonly deps: RestoreDeps },
) => {
  let next = after(clock.now(), checkSeconds);
  return async (): Promise<void> => {
    if (control.isYielding)
      throw new JobFailure(
        'INTERNAL_ERROR',
        'There are too many changes between the last backup and this point in time to combine them in time; restore a backup instead',
      );
    if (clock.now() < next) return;
    next = after(clock.now(), checkSeconds);
    await assertStillRunning(tenant, restore);
  };
};

type BuiltPoint = Awaited<ReturnType<typeof buildRestorePoint>>;

interface BuiltBackup {
  readonly backup: BackupRecord;
  readonly built: BuiltPoint;
  readonly key: NewDataKey;
  readonly now: Date;
}

/** Creates the backup's record. The restore's holds on the backups it was built from become dependencies of the backup. */
const commitPoint = async (tenant: Tenant, restore: RestoreRecord, { backup, built, key, now }: BuiltBackup): Promise<void> => {
  const { id, attempt, pointTries, point } = restore;
  const record = recordOf(backup, built, now);
  const { organization } = await loadRunning({ tenant, restoreJobId: id, attempt });
  const { project } = await loadRestoreContext(tenant, restore, organization);
  const writes: readonly Write[] = [
    updateRunning(tenant, id, { set: { pointMade: pointTries }, expected: { attempt, pointTries, pointMade: undefined } }),
    key.check,
    create(record),
    { put: { ...backupKey.archive(tenant, record.archive.backup, record.id), backupId: record.id } },
    countBackups(tenant, record.storageDestination.id, 1),
    countInOrganization(tenant, { backups: 1, bytes: record.size }),
    markRetentionDue(tenant, now),
    ...(point?.holds ?? []).map((held) => turnHoldIntoDependency(tenant, { id: held })),
    ...(await addedBackupErasureTasks(tenant, record, now)),
    ...(project ? lifecycleEvents({ tenant, project, organization }, record, now) : []),
  ];
  try {
    await commit(writes);
  } catch (error) {
    // Another run has won, or the restore has ended; the caller re-reads the record.
    if (!isConflict(error)) throw error;
  }
};

const recordOf = (backup: BackupRecord, built: BuiltPoint, now: Date): BackupRecord => ({
  ...backup,
  ...completedFields(backup, built, now),
  collectionCounts: topCollections(built.contents.collections.filter(([, documents]) => documents > 0)),
  countVerified: built.contents.countVerified,
  ...(built.needs.length > 0 && { needs: built.needs }),
  expiresAt: expiryOf(backup, now),
  // Held by this restore until it ends.
  restoring: 1,
});
