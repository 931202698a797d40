import { get, getAll, iso, type Tenant } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { type BackupRecord, backupKey, lockProblemOf } from '../../stored-backup/index.ts';
import { alertKey, type IncidentRecord } from '../model/record.ts';
import { applySignal } from './apply-signal.ts';
import { backupsOfLocks, endOfLockProblem, isLockedAgain } from './lock-problem-end.ts';

/**
 * Opens the incident of a project one of whose backups is less protected than its destination promises, or closes it once it is over,
 * as the record of the backup says now.
 */
export const applyLockProblem = async (tenant: Tenant, backup: BackupRecord, now: Date): Promise<void> => {
  const problem = lockProblemOf(backup);
  if (problem !== undefined) return reportProblem(tenant, { backup, problem, now });
  if (backup.verification?.status !== 'running') await closeIfOver(tenant, backup, now);
};

const endedAt = ({ verification, completedAt }: BackupRecord, now: Date): string =>
  (verification?.status === 'running' ? null : verification?.checkedAt) ?? completedAt ?? iso(now);

const reportProblem = async (
  tenant: Tenant,
  { backup, problem, now }: { readonly backup: BackupRecord; readonly problem: string; readonly now: Date },
): Promise<void> => {
  const { id, projectId, immutableUntil, lockedUntil, completedAt, storageDestination } = backup;
  const project = await get(projectKey.project(tenant, projectId));
  const isFound = isFoundByVerification(backup);
  const at = isFound ? endedAt(backup, now) : (completedAt ?? iso(now));
  const last = isFound ? undefined : { backupId: id, storageDestinationId: storageDestination.id, completedAt: at };
  if (last && project?.lastBackupId !== undefined) {
    // A later verification of a backup whose locks were refused reports nothing new once the destination accepts locks.
    const later = await get(backupKey.backup(tenant, project.lastBackupId));
    if (isLockedAgain(last, later)) return;
  }
  const name = project?.name ?? backup.projectName ?? projectId;
  await applySignal(
    tenant,
    {
      state: 'failed',
      kind: 'lock_problem',
      at,
      subject: { type: 'project', id: projectId, name },
      project: { id: projectId, name },
      source: `${id} ${at}`,
      message: `Backup ${id} of ${name} is intact, but less protected than it should be: ${problem}`,
      facts: [
        { name: 'Backup', value: id },
        { name: 'Should be locked until', value: lockedUntil ?? 'none' },
        { name: 'Is immutable until', value: immutableUntil ?? 'unknown' },
      ],
      page: `/backups/${id}`,
      locks: { found: isFound ? [id] : [], ...(last && { last }) },
    },
    now,
  );
};

/** Someone shortened a lock or hid an object, or the problem was not known before; otherwise the store refused when it completed. */
const isFoundByVerification = ({ lockProblem, completedAt, verification }: BackupRecord): boolean =>
  lockProblem?.since !== completedAt ||
  (verification?.findings ?? []).some((finding) => finding.problem === 'unlocked' || finding.problem === 'hidden');

const closeIfOver = async (tenant: Tenant, backup: BackupRecord, now: Date): Promise<void> => {
  const locks = await openLocks(tenant, backup.projectId);
  if (!locks) return;
  const records = await getAll(backupsOfLocks(locks).map((id) => backupKey.backup(tenant, id)));
  const backups = new Map(records.flatMap((record) => (record ? [[record.id, record]] : [])));
  const message = endOfLockProblem(locks, backups, backup);
  if (message === undefined) return;
  await applySignal(
    tenant,
    { state: 'recovered', kind: 'lock_problem', subjectId: backup.projectId, at: endedAt(backup, now), message },
    now,
  );
};

const openLocks = async (tenant: Tenant, projectId: string): Promise<IncidentRecord['locks']> => {
  const open = await get(alertKey.open(tenant, 'lock_problem', projectId));
  return open && (await get(alertKey.incident(tenant, open.incidentId)))?.locks;
};
