/** The transaction after which a restore writes to its target. */

import { countBackups } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { phaseEntry, withoutWait } from '../../job/index.ts';
import { check, commit, create, iso, type Write } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import {
  addedBackupErasureTasks,
  type BackupRecord,
  backupKey,
  type ChainLockResult,
  type CompletedArchive,
  completedFields,
  countInOrganization,
  lifecycleEvents,
  lockFields,
  lockProblemAudit,
} from '../../stored-backup/index.ts';
import { restoreProgressEvents } from '../model/progress-events.ts';
import type { PlanCounts, PlannedDeletions, RestoreRecord } from '../model/record.ts';
import type { RestoreContext } from '../model/restore-context.ts';
import { updateRunning } from '../model/running-restore.ts';

/** The stored journal. */
export interface Sealed extends CompletedArchive {
  readonly backup: BackupRecord;
  readonly locks: ChainLockResult;
}

interface Seal extends PlannedDeletions {
  readonly erasedInCheck: number;
  readonly plan: PlanCounts;
  readonly writes: boolean;
  /** Undefined if nothing will be written. */
  readonly sealed: Sealed | undefined;
  readonly transformed?: RestoreRecord['transformed'] | undefined;
}

/** Seals the journal if the restore still runs and holds the target's lock. Its contents become a safety backup, held by the restore. */
export const commitSeal = async (
  context: RestoreContext,
  {
    restore,
    seal: { plan, writes, sealed, deleteDigest, deletions, erasedInCheck, transformed },
    now,
  }: { readonly restore: RestoreRecord; readonly seal: Seal; readonly now: Date },
): Promise<void> => {
  const { tenant } = context;
  const { id, attempt, targetProjectId, journal, toldPercent } = restore;
  const safety = sealed && restore.safetyBackup ? safetyRecord(id, sealed, now) : undefined;
  const change = {
    plan,
    erasedInCheck,
    deleteDigest,
    deletions,
    sealedAt: iso(now),
    ...(transformed && { transformed }),
    ...(writes && { phase: 'Restoring' as const }),
    ...(sealed && { journal: { ...journal, manifestDigest: sealed.manifestDigest } }),
    ...(safety && { safetyBackupId: safety.id }),
  };
  const { reportedPercent, writes: events } = restoreProgressEvents(context, { ...withoutWait(restore), ...change }, now);
  await commit([
    updateRunning(tenant, id, {
      ...(writes && { append: { timeline: [phaseEntry('Restoring', now)] } }),
      set: { ...change, waitingFor: undefined, ...(reportedPercent !== undefined && { toldPercent: reportedPercent }) },
      expected: { attempt, sealedAt: undefined, toldPercent },
    }),
    check(projectKey.job(tenant, targetProjectId), { jobId: id }),
    ...events,
    ...(safety ? [...safetyWrites(context, safety, now), ...(await addedBackupErasureTasks(tenant, safety, now))] : []),
  ]);
};

const safetyRecord = (safetyOf: string, sealed: Sealed, now: Date): BackupRecord => ({
  ...sealed.backup,
  ...completedFields(sealed.backup, sealed, now),
  ...lockFields(sealed.locks, now),
  isPartial: true,
  // Held by this restore until it ends.
  restoring: 1,
  safetyOf,
});

const safetyWrites = ({ tenant, target, organization }: RestoreContext, safety: BackupRecord, now: Date): readonly Write[] => [
  create(safety),
  { put: { ...backupKey.archive(tenant, safety.id, safety.id), backupId: safety.id } },
  countBackups(tenant, safety.storageDestination.id, 1),
  countInOrganization(tenant, { backups: 1, bytes: safety.size }),
  ...lifecycleEvents({ tenant, project: target, organization }, safety, now),
  ...(safety.lockProblem
    ? [lockProblemAudit(tenant, safety, now), enqueue(tenant, { kind: 'apply-verification', backupId: safety.id }, now)]
    : []),
];
