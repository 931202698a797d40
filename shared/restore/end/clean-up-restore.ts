/** After the end of a restore: releases its target, and deletes everything that neither an undo nor a resume needs. */

import { undoSeconds } from '../../contract/limits.ts';
import { deleteWorkItems, workPartition } from '../../job/index.ts';
import { after, check, commit, get, isConflict, iso, log, type Tenant, update } from '../../platform/index.ts';
import { deleteArchiveObjects, readUnstoredObjects } from '../../stored-backup/index.ts';
import { releaseMaskSalt } from '../model/mask-salt.ts';
import { type Journal, type RestoreRecord, restoreKey } from '../model/record.ts';
import { loadEndContext, type RestoreEndContext, releaseHoldsWrites } from '../model/restore-end-context.ts';
import { waitForWriters } from '../model/writer-lease.ts';
import { deleteDiscardedAttempts } from '../point-in-time/materialize-attempts.ts';
import type { RestoreDeps } from '../restore-deps.ts';

/** A resume that was requested in time may commit a little later. */
const marginSeconds = 3_600;

type CleanUpDeps = Pick<RestoreDeps, 'openStore' | 'clock' | 'sleep'>;

interface CleanUpOptions {
  /** The attempt that has ended; the current one by default. */
  readonly attempt?: number | undefined;
  /** How long to wait for active writers. */
  readonly waitSeconds?: number;
  /** Leaves objects that cannot be deleted in the bucket. */
  readonly isGivenUp?: boolean;
}

/**
 * Call only when the workflow has stopped. If the end did not release the target, it is released once no writer is active;
 * otherwise the reaper tries again. The running item is removed last, or rescheduled: the reaper cleans up as long as it exists.
 * Every step checks the attempt, so a resumed restore loses nothing. Rejects if a retry may help.
 */
export const cleanUpRestore = async (
  tenant: Tenant,
  {
    restoreJobId,
    deps,
    options = {},
  }: { readonly restoreJobId: string; readonly deps: CleanUpDeps; readonly options?: CleanUpOptions | undefined },
): Promise<void> => {
  const context = await loadEndContext(tenant, restoreJobId);
  if (!context) return deleteOrphans(tenant, restoreJobId);
  const { restore } = context;
  if (isActive(restore) || restore.attempt !== (options.attempt ?? restore.attempt)) return;
  try {
    if (await releaseTarget(tenant, { context, deps, options })) await cleanUp(tenant, { restore, deps, options });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const current = await get(restoreKey.restore(tenant, restoreJobId));
    // The restore was resumed: the end of the next attempt cleans up.
    if (current?.attempt !== restore.attempt) return;
    throw error;
  }
};

const isActive = ({ status }: RestoreRecord): boolean => status === 'pending' || status === 'running';

/** False while a writer may be active. */
const releaseTarget = async (
  tenant: Tenant,
  {
    context,
    deps: { clock, sleep },
    options: { waitSeconds: seconds },
  }: { readonly context: RestoreEndContext; readonly deps: CleanUpDeps; readonly options: CleanUpOptions },
): Promise<boolean> => {
  const { restore, job } = context;
  if (job?.jobId !== restore.id) return true;
  if (!(await waitForWriters(tenant, restore.id, { now: () => clock.now(), sleep, seconds }))) {
    log.warn('target stays locked: a writer may still be active', { restoreJobId: restore.id });
    return false;
  }
  await commit([checkEnded(tenant, restore), ...releaseHoldsWrites(tenant, context)]);
  return true;
};

const cleanUp = async (
  tenant: Tenant,
  {
    restore,
    deps: { openStore, clock },
    options: { isGivenUp },
  }: { readonly restore: RestoreRecord; readonly deps: CleanUpDeps; readonly options: CleanUpOptions },
): Promise<void> => {
  const { id, status, attempt } = restore;
  const dueAt = resumableUntil(restore);
  const isOver = dueAt === undefined || dueAt <= iso(clock.now());
  const journals = unneededJournals(restore, isOver);
  if (isGivenUp && journals.length > 0) log.error('journal of the restore stays in its destination', { restoreJobId: id });
  else for (const journal of journals) await (await prepareJournalDeletion(tenant, { restore, journal, openStore }))();
  if (!isGivenUp) await deleteDiscardedAttempts(tenant, restore, openStore);
  await releaseMaskSalt(tenant, restore);
  if (isOver) await deleteRestoreWork(tenant, restore);
  const running = restoreKey.running(tenant, id);
  if ((await get(running))?.attempt !== attempt) return;
  await commit([
    restore.givenUp === undefined
      ? checkEnded(tenant, restore)
      : update(restoreKey.restore(tenant, id), { set: { givenUp: undefined }, expected: { status, attempt } }),
    isOver
      ? { remove: running, condition: 'attempt = :attempt', values: { ':attempt': attempt } }
      : update(running, { set: { dueAt }, expected: { attempt } }),
  ]);
};

/** Everything that a resume needs is kept until then; undefined if the restore cannot be resumed. */
export const resumableUntil = (restore: RestoreRecord): string | undefined => {
  const { status, completedAt, dryRun, undoneBy, undoBegunBy, isCarried } = restore;
  const isIncomplete = (status === 'failed' || status === 'cancelled') && !dryRun;
  if (!isIncomplete || completedAt === null || undoneBy !== null || undoBegunBy || isCarried) return undefined;
  return iso(after(new Date(completedAt), undoSeconds + marginSeconds));
};

/** Retention deletes a journal that became a backup. Any other sealed journal is kept as long as the restore can be resumed. */
const unneededJournals = (
  { journal, givenUp = [], sealedAt, safetyBackupId }: RestoreRecord,
  isOver: boolean,
): readonly Journal[] => {
  const isUnneeded = sealedAt === undefined || (safetyBackupId === undefined && isOver);
  return isUnneeded ? [...givenUp, journal] : givenUp;
};

/** The deletion of a journal's objects. Reads the work items first, so that it can be repeated after they are deleted. */
export const prepareJournalDeletion = async (
  tenant: Tenant,
  {
    restore,
    journal,
    openStore,
  }: { readonly restore: RestoreRecord; readonly journal: Journal; readonly openStore: RestoreDeps['openStore'] },
): Promise<() => Promise<unknown>> => {
  const uploads = await readUnstoredObjects(workPartition(tenant, restore.id), journal.backupId);
  return () => deleteArchiveObjects(tenant, journalLocation(tenant, restore, journal), { openStore, uploads });
};

const journalLocation = (
  { organizationId }: Tenant,
  { targetProjectId }: RestoreRecord,
  { backupId, path, storageDestination }: Journal,
) => ({
  id: backupId,
  archive: { organization: organizationId, project: targetProjectId, backup: backupId },
  path,
  storageDestination,
});

export const checkEnded = (tenant: Tenant, { id, status, attempt }: RestoreRecord) =>
  check(restoreKey.restore(tenant, id), { status, attempt });

export const deleteRestoreWork = (tenant: Tenant, restore: RestoreRecord): Promise<void> =>
  deleteWorkItems(workPartition(tenant, restore.id), { conditions: [checkEnded(tenant, restore)] });

/** The restore's organization was purged. */
const deleteOrphans = async (tenant: Tenant, id: string): Promise<void> => {
  await deleteWorkItems(workPartition(tenant, id));
  await commit([{ remove: restoreKey.running(tenant, id) }]);
};
