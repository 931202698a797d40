/** Builds the backup of the moment that a run tests. */

import { holdBackup } from '../../restore/index.ts';
import { readBackup } from '../../stored-backup/index.ts';
import { concludeWith, enterPhase, type RunContext, type RunProgress } from './run-writes.ts';
import { endedJob, jobFailure, startPointBuild } from './start-job.ts';

/** The job holds the backup that it built until it ends; from then on the run does. */
export const buildPoint = async (context: RunContext): Promise<RunProgress> => {
  const { tenant, run } = context;
  if (run.buildJobId === undefined) {
    await startPointBuild(context);
    return 'wait';
  }
  const job = await endedJob(tenant, run.buildJobId);
  if (!job) return 'wait';
  if (job.status !== 'completed') return concludeWith(context, jobFailure(job));
  const backup = await readBackup(tenant, job.backupId);
  const built = { backupId: backup.id, readTime: backup.readTime, isHeld: true };
  return enterPhase(context, { phase: 'reading', attributes: built, writes: [holdBackup(tenant, backup.id)] });
};
