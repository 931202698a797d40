/** A restore that meets damage while it reads tells it as a verification would: in its findings, and on the backup. */
import { ArchiveError } from '../../archive/index.ts';
import { bestEffort, commit, get } from '../../platform/index.ts';
import { classifyReadError, reportDamage } from '../../stored-backup/index.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import { type RestoreAttempt, updateRunning } from '../model/running-restore.ts';
import { readSourceBackup } from '../read/open-for-restore.ts';

/** Errors without an object are not about the contents of a bucket. A job that only plans marks nothing. */
export const reportCorruption = async (step: RestoreAttempt, error: unknown, now: Date): Promise<void> => {
  const problem = error instanceof ArchiveError ? classifyReadError(error) : undefined;
  if (!problem?.object) return;
  const { tenant, restoreJobId: id, attempt } = step;
  const { name: object, backup: archiveId } = problem.object;
  const record = async (): Promise<void> => {
    const restore = await get(restoreKey.restore(tenant, id));
    if (restore?.attempt !== attempt) return;
    await addFinding(step, restore, { object, problem: 'corrupt', message: problem.message });
    if (restore.dryRun) return;
    const backup = await readSourceBackup(tenant, restore.backupId);
    // The journal is an archive of this restore, and not a backup that others use.
    if (archiveId !== restore.safetyBackupId) await reportDamage({ tenant, backup, by: id, now }, problem);
  };
  await bestEffort('report the damage that a restore found', record());
};

type Finding = NonNullable<RestoreRecord['findings']>[number];

const addFinding = async (step: RestoreAttempt, restore: RestoreRecord, finding: Finding): Promise<void> => {
  const { findings = [], findingsCount = findings.length } = restore;
  if (findings.some(({ object }) => object === finding.object)) return;
  const set = { findings: [...findings, finding], findingsCount: findingsCount + 1 };
  await commit([updateRunning(step.tenant, restore.id, { set, expected: { attempt: step.attempt } })]);
};
