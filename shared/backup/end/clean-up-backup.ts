/** Clean-up after a backup that failed or was cancelled. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../contract/errors.ts';
import { countBackups, StorageError } from '../../destination/index.ts';
import { deleteWorkItems, workPartition } from '../../job/index.ts';
import { after, commit, getAll, iso, log, remove, set, type Tenant, type Write } from '../../platform/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  backupKey,
  deleteArchiveObjects,
  objectsKeptWrites,
  type RunningRecord,
  readUnstoredObjects,
} from '../../stored-backup/index.ts';

/** A store that refuses is tried again after 5 minutes, then after twice as long each time: for the last time after 21 hours. */
const attemptsMax = 9;
const firstRetrySeconds = 300;
/** Workers notice every 2 s that their backup has ended, and abort their uploads. */
const workersStopMs = 4_000;

interface CleanUpOptions {
  /** The destination has not responded for a day: the objects stay. */
  readonly isGivenUp?: boolean;
  /** Whether other workers of the backup may be running. They abort their uploads before the clean-up. */
  readonly waitsForWorkers?: boolean;
}

/**
 * Deletes its objects and work items. The running item goes last, in the transaction that updates the destination's count: while
 * it exists, the reaper repeats the clean-up. Rejects if the store does not respond. If it refuses, the clean-up is repeated with
 * back-off; in the end the record and the audit log tell that the objects stay.
 */
export const cleanUpBackup = async (
  tenant: Tenant,
  {
    backupId,
    deps,
    options: { isGivenUp = false, waitsForWorkers = false } = {},
  }: {
    readonly backupId: string;
    readonly deps: Pick<BackupDeps, 'openStore' | 'clock'>;
    readonly options?: CleanUpOptions | undefined;
  },
): Promise<void> => {
  const runningKey = backupKey.running(tenant, backupId);
  const [backup, item] = await getAll([backupKey.backup(tenant, backupId), runningKey]);
  if (backup?.status === 'pending' || backup?.status === 'running') return;
  if (backup?.status === 'completed') return deleteWorkItems(workPartition(tenant, backupId));
  if (waitsForWorkers && (backup?.shards ?? 0) > 1) await pause(workersStopMs);
  const kept = backup && !isGivenUp ? await deleteObjects(tenant, { backup, item, deps }) : undefined;
  // The next attempt needs the work items: they name what may have been uploaded.
  if (kept === 'retry') return;
  await deleteWorkItems(workPartition(tenant, backupId));
  if (!item) return;
  if (!backup) return commit([remove(runningKey)]);
  const reason = isGivenUp ? 'The storage destination did not respond for a day' : kept;
  const writes: readonly Write[] = [
    remove(runningKey),
    { remove: backupKey.archive(tenant, backup.archive.backup, backupId) },
    ...(reason === undefined ? [] : objectsKeptWrites(tenant, { backup, reason, now: deps.clock.now() })),
  ];
  if (reason !== undefined) log.error('the objects of a backup stay in its destination', { backupId, reason });
  try {
    await commit([...writes, countBackups(tenant, backup.storageDestination.id, -1)]);
  } catch (error) {
    // A deleted destination has no count. A conflict means that another run did the same concurrently.
    if (!(error instanceof ApiError) || error.code !== 'STORAGE_NOT_FOUND') throw error;
    await commit(writes);
  }
};

/** Undefined if the objects are deleted, `retry` if that is tried again later, else why they stay. */
const deleteObjects = async (
  tenant: Tenant,
  {
    backup,
    item,
    deps: { openStore, clock },
  }: {
    readonly backup: BackupRecord;
    readonly item: RunningRecord | undefined;
    readonly deps: Pick<BackupDeps, 'openStore' | 'clock'>;
  },
): Promise<string | undefined> => {
  try {
    const uploads = await readUnstoredObjects(workPartition(tenant, backup.id), backup.archive.backup);
    return await deleteArchiveObjects(tenant, backup, { openStore, uploads, rejectsRefusal: true });
  } catch (error) {
    if (!(error instanceof StorageError) || error.isTransient) throw error;
    const attempts = (item?.cleanUpAttempts ?? 0) + 1;
    log.warn('the destination refuses to delete the objects of a backup', {
      backupId: backup.id,
      attempts,
      reason: error.message,
    });
    if (!item || attempts >= attemptsMax) return error.message;
    const dueAt = iso(after(clock.now(), firstRetrySeconds * 2 ** (attempts - 1)));
    await commit([set(backupKey.running(tenant, backup.id), { cleanUpAttempts: attempts, dueAt })]);
    return 'retry';
  }
};
