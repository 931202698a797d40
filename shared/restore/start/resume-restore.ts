/**
 * Going on with a restore that failed or was cancelled. Where its plan was complete the same plan is written to its end; where
 * it was not, nothing was written either, and all begins anew.
 */
import { backupKey, readBackup } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { undoSeconds } from '../../contract/limits.ts';
import { readDestination } from '../../destination/index.ts';
import { after, type Change, get, iso, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { type ProjectRecord, readJob, readProject } from '../../project/index.ts';
import { heldBackups, type RestoreRecord, restoreKey } from '../model/record.ts';
import { assertRestorable } from './restore-request.ts';
import { holdBackup, newJournal, startWrites } from './start-restore.ts';

export const resumeRestore = async (
  tenant: Tenant,
  restore: RestoreRecord,
  now: Date,
): Promise<{ restore: RestoreRecord; change: Change }> => {
  refuseUnlessResumable(restore, now);
  const { id, status, attempt, backupId, targetProjectId, safetyBackupId } = restore;
  // One to a moment whose backup was not made needs what it is to be made of.
  const backups = await Promise.all(heldBackups(restore).map((held) => readBackup(tenant, held)));
  const target = await readProject(tenant, targetProjectId);
  for (const backup of backups) assertRestorable(backup);
  await refuseUnlessStopped(tenant, restore);
  const isSealed = restore.sealedAt !== undefined;
  // Once it is planned, an undo needs no longer be told what the other restore has left.
  const { leftBy, lateWritten: _, lateDeleted: __, ...rest } = restore;
  if (leftBy && !isSealed) assertRestorable(await readBackup(tenant, leftBy.backupId));
  const begun = {
    status: 'pending',
    attempt: attempt + 1,
    completedAt: null,
    undoUntil: null,
    error: null,
    ...(isSealed ? { phase: 'Restoring' as const } : await afresh(tenant, restore, target, now)),
  } as const;
  const gone = {
    ...{ failure: undefined, trouble: undefined, lateWritten: undefined, lateDeleted: undefined },
    ...(isSealed ? { leftBy: undefined } : { shards: undefined, since: undefined }),
  };
  const resumed: RestoreRecord = { ...rest, ...(leftBy && !isSealed && { leftBy }), ...begun };
  return {
    restore: resumed,
    change: {
      writes: [
        set(
          restoreKey.restore(tenant, id),
          { ...begun, ...gone },
          {
            expected: { status, attempt, undoneBy: null },
            onConditionFailed: () => new StaleReadError(),
          },
        ),
        ...startWrites(tenant, resumed, target, now),
        ...(safetyBackupId === undefined ? [] : [await holdJournal(tenant, safetyBackupId)]),
      ],
      audit: [
        {
          scope: tenant.organizationId,
          resource: { type: 'restore', id },
          details: { backupId, targetProjectId, attempt: attempt + 1, status },
        },
      ],
    },
  };
};

const refuseUnlessResumable = (
  { status, dryRun, undoneBy, completedAt, isCarried, undoBegunBy, undoUntil }: RestoreRecord,
  now: Date,
): void => {
  const refuse = (message: string): never => {
    throw new ApiError('CONFLICT', message, { status });
  };
  if (dryRun) refuse('The restore only planned, and wrote nothing; ask for the plan again');
  if (status === 'pending' || status === 'running') refuse(`The restore is ${status}, and goes on by itself`);
  if (status === 'completed')
    refuse(
      `The restore is completed; there is nothing left to resume${undoUntil ? ', and it can be taken back with /undo' : ''}`,
    );
  if (undoneBy !== null) refuse(`The restore was taken back by ${undoneBy}; start another one`);
  if (undoBegunBy) refuse(`Taking the restore back was begun by ${undoBegunBy}; resume that one, or start another restore`);
  if (isCarried) refuse('The restore was made before its project came from another organization; start another one');
  const until = iso(after(new Date(completedAt ?? 0), undoSeconds));
  if (until <= iso(now)) refuse(`The restore could be resumed until ${until}; start another one`);
};

/** One that was cancelled may still be writing; a moment later it is not. */
const refuseUnlessStopped = async (tenant: Tenant, { id, targetProjectId }: RestoreRecord): Promise<void> => {
  const job = await readJob(tenant, targetProjectId);
  if (job?.jobId !== id) return;
  throw new ApiError('JOB_IN_PROGRESS', 'The restore has not stopped writing yet; try again shortly', {
    jobId: id,
    kind: 'restore',
  });
};

/** What an attempt has looked at is out of date for the next one; it has a journal of its own. */
const afresh = async (tenant: Tenant, { journal, givenUp = [] }: RestoreRecord, target: ProjectRecord, now: Date) => ({
  phase: 'Initializing' as const,
  journal: newJournal(
    { target, destination: await readDestination(tenant, journal.storageDestination.id), encryption: journal.encryption },
    now,
  ),
  givenUp: [...givenUp, journal],
  expected: 0,
  checked: 0,
  plan: null,
  notFound: [],
});

/** What was planned stands in the safety backup: without it nobody knows what is left to do. */
const holdJournal = async (tenant: Tenant, safetyBackupId: string): Promise<Write> => {
  const safety = await get(backupKey.backup(tenant, safetyBackupId));
  if (safety?.status !== 'completed')
    throw new ApiError(
      'BACKUP_NOT_FOUND',
      'The safety backup of this restore is gone, and with it the plan; start another restore',
    );
  return holdBackup(tenant, safetyBackupId);
};
