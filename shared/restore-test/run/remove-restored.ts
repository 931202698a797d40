/** Removes what the test wrote to its target with the undo of the restore, and checks that the target is as it was before. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { asTargetError, probeSource } from '../../firestore/index.ts';
import { organizationKey } from '../../organization/index.ts';
import { commit, get } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { cancelRestore, getRestore, type RestoreRecord, restoreData, undoRestore } from '../../restore/index.ts';
import { currentEncryption, openArchive, readBackup, readEncryption } from '../../stored-backup/index.ts';
import { newWalk, type WalkOptions, walkDocuments } from '../compare/walk-documents.ts';
import type { RunRecord } from '../model/record.ts';
import { concludeWith, DifferenceList, enterPhase, type RunContext, type RunProgress, setRun } from './run-writes.ts';
import { endedJob, writtenBy } from './start-job.ts';

type Removal = NonNullable<RunRecord['removal']>;

export const pendingRemoval: Removal = { status: 'pending', undoJobId: null, documents: 0, message: null };

export const removeRestored = async (context: RunContext): Promise<RunProgress> => {
  const { tenant, run } = context;
  const { restoreJobId, removal } = run;
  if (restoreJobId === null) return enterPhase(context, { phase: 'recording' });
  const restore = await getRestore(tenant, restoreJobId);
  if (restore.status === 'pending' || restore.status === 'running') return stopRestore(context, restore);
  if (removal?.undoJobId) return followUndo(context, restore, removal.undoJobId);
  if (restore.sealedAt === undefined || restore.safetyBackupId === undefined)
    return enterPhase(context, {
      phase: 'recording',
      attributes: {
        removal: { ...pendingRemoval, status: 'nothing_written' },
        documentsWritten: writtenBy(restore),
      },
    });
  // A person has undone it before the test did.
  if (restore.undoneBy !== null) return followUndo(context, restore, restore.undoneBy);
  await startUndo(context, restore);
  return 'wait';
};

const actor = { type: 'system', id: 'restore-test', email: null } as const;

/** Without its organization a restore cannot be cancelled, and its records go with the organization: the run ends at once. */
const stopRestore = async (context: RunContext, restore: RestoreRecord): Promise<RunProgress> => {
  const { tenant, run, deps } = context;
  const organization = await get(organizationKey.organization(tenant));
  if (!organization)
    return concludeUnremoved(context, { removal: run.removal ?? pendingRemoval, reason: 'the organization was deleted' });
  // Its writers stop within seconds.
  if (restore.cancelling) return 'wait';
  const now = deps.clock.now();
  const { change } = await cancelRestore({ tenant, organization, actor } as Parameters<typeof cancelRestore>[0], restore.id, now);
  await commit([
    ...change.writes,
    ...change.audit.map((note) => systemAudit('restore-test', { action: 'restore.cancelled', note, now })),
  ]);
  return 'wait';
};

/** Throws JOB_IN_PROGRESS while writers of the restore, or another job, use the target. */
const startUndo = async (context: RunContext, restore: RestoreRecord): Promise<void> => {
  const { tenant, run, deps } = context;
  const now = deps.clock.now();
  const encryption = currentEncryption(await readEncryption(tenant));
  const createdBy = { type: 'system', id: run.id, email: null } as const;
  const { restore: undo, change } = await undoRestore(tenant, {
    restore,
    caller: { encryption, createdBy, keepsChanged: true },
    now,
  });
  await commit([
    ...change.writes,
    // The writers of a restore that did not complete have stopped by now.
    setRun(context, { removal: { ...pendingRemoval, undoJobId: undo.id }, documentsWritten: writtenBy(restore) }),
    systemAudit('restore-test', {
      action: 'restore.undone',
      note: auditNote(tenant, { type: 'restore', id: restore.id, details: { restoreJobId: undo.id, runId: run.id } }),
      now,
    }),
  ]);
};

const followUndo = async (context: RunContext, restore: RestoreRecord, undoJobId: string): Promise<RunProgress> => {
  const undo = await endedJob(context.tenant, undoJobId);
  if (!undo) return 'wait';
  const { documentsRestored, documentsDeleted, documentsFailed } = restoreData(undo);
  const removal = { ...pendingRemoval, undoJobId, documents: documentsRestored + documentsDeleted };
  if (undo.status !== 'completed' || documentsFailed > 0)
    return concludeUnremoved(context, {
      removal,
      reason: `the undo ${undoJobId} ${undo.status === 'completed' ? `failed for ${documentsFailed} documents` : `${undo.status}: ${undo.error?.message ?? ''}`}`,
    });
  return verifyRemoval(context, restore, removal);
};

/** Every document that the restore touched must be as the safety backup says: with these fields, or absent. */
const verifyRemoval = async (context: RunContext, restore: RestoreRecord, removal: Removal): Promise<RunProgress> => {
  const { tenant, run, deps, deadline } = context;
  const backup = await readBackup(tenant, restore.safetyBackupId ?? '');
  const open = await openArchive(tenant, { backup, deps });
  const database = deps.openSource(tenant, await readProject(tenant, restore.targetProjectId));
  try {
    const signal = AbortSignal.timeout(600_000);
    const { readTime } = await probeSource(database, signal).catch((error: unknown) => {
      throw asTargetError(error);
    });
    const differences = new DifferenceList(run);
    const report: WalkOptions['report'] = (path, _, message) =>
      differences.add({ path, kind: 'not_removed', against: 'target', message });
    const walked = await walkDocuments(
      {
        archive: open.archive,
        ranges: [{}],
        withTombstones: true,
        erasedMessage: 'The test overwrote the document, and an erasure of the target keeps it from being put back',
        live: { database, readTime, look: 'lookup' },
        signal,
        report,
        isOver: async () => deps.clock.now() >= deadline,
      },
      run.removalWalk ?? newWalk,
      () => undefined,
    );
    if (!walked.isDone) {
      await commit([setRun(context, { removalWalk: walked, ...differences.attributes })]);
      return 'again';
    }
    if (walked.differing > 0)
      return concludeUnremoved(context, {
        removal,
        reason: `${walked.differing} documents are not as before, or were changed by others during the test`,
        attributes: differences.attributes,
      });
    return enterPhase(context, {
      phase: 'recording',
      attributes: { removal: { ...removal, status: 'verified', documents: walked.compared } },
    });
  } finally {
    database.close();
    open.close();
  }
};

/** Says plainly that the target may hold data of the test. This failure replaces an earlier one. */
export const concludeUnremoved = (
  context: RunContext,
  {
    removal,
    reason,
    attributes = {},
  }: { readonly removal: Removal; readonly reason: string; readonly attributes?: Partial<RunRecord> | undefined },
): Promise<RunProgress> => {
  const { run } = context;
  const failure = unremovedFailure(run, reason);
  return concludeWith({ ...context, run: withoutFailure(run) }, failure, {
    ...attributes,
    removal: { ...removal, status: 'failed', message: failure.message },
  });
};

export const unremovedFailure = ({ target, restoreJobId, failure }: RunRecord, reason: string) => ({
  code: 'CLEANUP_FAILED' as const,
  message: `What the test wrote may still be in the target ${target?.projectName} (${target?.projectId}): ${reason}. Undo the restore ${restoreJobId}`,
  details: { targetProjectId: target?.projectId, restoreJobId, ...(failure && { before: failure.code }) },
});

const withoutFailure = ({ failure: _, ...run }: RunRecord): RunRecord => run as RunRecord;
