/** A restore that meets damage while it reads tells it as a verification would: in its findings, and on the backup. */
import { commit, get } from '../../platform/index.ts';
import { reportFoundDamage } from '../../stored-backup/index.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import { type RestoreAttempt, updateRunning } from '../model/running-restore.ts';
import { readSourceBackup } from '../read/open-for-restore.ts';

/** A job that only plans marks nothing. */
export const reportCorruption = (step: RestoreAttempt, error: unknown, now: Date): Promise<void> => {
  const { tenant, restoreJobId: id, attempt } = step;
  return reportFoundDamage(
    {
      tenant,
      job: 'restore',
      by: id,
      now,
      backupOf: async ({ name: object, backup: archiveId }, message) => {
        const restore = await get(restoreKey.restore(tenant, id));
        if (restore?.attempt !== attempt) return undefined;
        await addFinding(step, restore, { object, problem: 'corrupt', message });
        // The journal is an archive of this restore, and not a backup that others use.
        if (restore.dryRun || archiveId === restore.safetyBackupId) return undefined;
        return readSourceBackup(tenant, restore.backupId);
      },
    },
    error,
  );
};

type Finding = NonNullable<RestoreRecord['findings']>[number];

const addFinding = async (step: RestoreAttempt, restore: RestoreRecord, finding: Finding): Promise<void> => {
  const { findings = [], findingsCount = findings.length } = restore;
  if (findings.some(({ object }) => object === finding.object)) return;
  const set = { findings: [...findings, finding], findingsCount: findingsCount + 1 };
  await commit([updateRunning(step.tenant, restore.id, { set, expected: { attempt: step.attempt } })]);
};
