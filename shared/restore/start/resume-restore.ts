/** Resumes a failed or cancelled restore. A sealed plan is written to its end; without one nothing was written, and it starts over. */
import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { undoSeconds } from '../../contract/limits.ts';
import { readDestination } from '../../destination/index.ts';
import { timelineAppend, withoutWait } from '../../job/index.ts';
import { after, type Change, get, iso, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { type ProjectRecord, readJob, readProject } from '../../project/index.ts';
import { backupKey, readBackup } from '../../stored-backup/index.ts';
import { keepMaskSalt } from '../model/mask-salt.ts';
import { heldBackups, type RestoreRecord, restoreKey } from '../model/record.ts';
import { assertRestorable } from './restore-request.ts';
import { holdBackup, newJournal, startWrites } from './start-restore.ts';

export const resumeRestore = async (
  tenant: Tenant,
  restore: RestoreRecord,
  now: Date,
): Promise<{ restore: RestoreRecord; change: Change }> => {
  assertResumable(restore, now);
  const { id, status, attempt, backupId, targetProjectId, safetyBackupId } = restore;
  // A point-in-time restore without its backup needs the backups it is built from.
  const backups = await Promise.all(heldBackups(restore).map((held) => readBackup(tenant, held)));
  const target = await readProject(tenant, targetProjectId);
  for (const backup of backups) assertRestorable(backup);
  await assertStopped(tenant, restore);
  const isSealed = restore.sealedAt !== undefined;
  // Only the check of an undo reads the backup of the undone restore.
  const { leftBy, lateWritten: _, lateDeleted: __, ...rest } = restore;
  if (leftBy && !isSealed) assertRestorable(await readBackup(tenant, leftBy.backupId));
  const started = {
    status: 'pending',
    attempt: attempt + 1,
    completedAt: null,
    undoUntil: null,
    error: null,
    ...(isSealed ? { phase: 'Restoring' as const } : await freshStart(tenant, { restore, target, now })),
  } as const;
  const removed = {
    failure: undefined,
    trouble: undefined,
    cancelling: undefined,
    waitingFor: undefined,
    movedAt: undefined,
    waitReportedAt: undefined,
    lateWritten: undefined,
    lateDeleted: undefined,
    ...(isSealed
      ? { leftBy: undefined }
      : {
          shards: undefined,
          since: undefined,
          nothingFound: undefined,
          erasedInCheck: undefined,
          findings: undefined,
          findingsCount: undefined,
        }),
  };
  const resumed: RestoreRecord = { ...withoutWait(rest), ...(leftBy && !isSealed && { leftBy }), ...started };
  return {
    restore: resumed,
    change: {
      writes: [
        set(
          restoreKey.restore(tenant, id),
          { ...started, ...removed },
          {
            ...timelineAppend(restore, { at: iso(now), kind: 'started', message: `Attempt ${attempt + 1}` }),
            expected: { status, attempt, undoneBy: null },
            onConditionFailed: () => new StaleReadError(),
          },
        ),
        ...startWrites(tenant, { restore: resumed, target, now }),
        ...(await keepMaskSalt(tenant, restore, now)),
        ...(safetyBackupId === undefined ? [] : [await holdJournal(tenant, safetyBackupId)]),
      ],
      audit: [auditNote(tenant, { type: 'restore', id, details: { backupId, targetProjectId, attempt: attempt + 1, status } })],
    },
  };
};

const assertResumable = (
  { status, dryRun, undoneBy, completedAt, isCarried, undoBegunBy, undoUntil }: RestoreRecord,
  now: Date,
): void => {
  const refuse = (message: string): never => {
    throw new ApiError('CONFLICT', message, { status });
  };
  if (dryRun) refuse('The restore was a dry run and wrote nothing; request the plan again');
  if (status === 'pending' || status === 'running') refuse(`The restore is ${status} and needs no resume`);
  if (status === 'completed')
    refuse(`The restore is completed; there is nothing left to resume${undoUntil ? ', but it can be undone with /undo' : ''}`);
  if (undoneBy !== null) refuse(`The restore was undone by ${undoneBy}; start another one`);
  if (undoBegunBy) refuse(`An undo of the restore was started by ${undoBegunBy}; resume that one, or start another restore`);
  if (isCarried) refuse('The restore was made before its project moved from another organization; start another one');
  const until = iso(after(new Date(completedAt ?? 0), undoSeconds));
  if (until <= iso(now)) refuse(`The restore could be resumed until ${until}; start another one`);
};

/** A cancelled restore may still be writing for a moment. */
const assertStopped = async (tenant: Tenant, { id, targetProjectId }: RestoreRecord): Promise<void> => {
  const job = await readJob(tenant, targetProjectId);
  if (job?.jobId !== id) return;
  throw new ApiError('JOB_IN_PROGRESS', 'The restore is still writing; try again shortly', {
    jobId: id,
    kind: 'restore',
  });
};

/** The next attempt checks again, with a journal of its own. */
const freshStart = async (
  tenant: Tenant,
  {
    restore: { journal, givenUp = [] },
    target,
    now,
  }: { readonly restore: RestoreRecord; readonly target: ProjectRecord; readonly now: Date },
) => ({
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

/** The safety backup is the plan: without it the rest of the work is unknown. */
const holdJournal = async (tenant: Tenant, safetyBackupId: string): Promise<Write> => {
  const safety = await get(backupKey.backup(tenant, safetyBackupId));
  if (safety?.status !== 'completed')
    throw new ApiError(
      'BACKUP_NOT_FOUND',
      'The safety backup of this restore was deleted, and with it the plan; start another restore',
    );
  return holdBackup(tenant, safetyBackupId);
};
