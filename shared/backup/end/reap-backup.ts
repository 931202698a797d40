/** Ends or restarts backups whose workflow died, never started or ran out of time. */
import { decideJobReaping, type Execution, type JobWorkflow, type ReapingDecision } from '../../job/index.ts';
import { commit, get, iso, log, set, type Tenant, walk } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { type BackupRecord, backupKey, type RunningRecord, runningPartition } from '../model/record.ts';
import { internalFailure } from '../steps/backup-steps.ts';
import { cleanUpBackup } from './clean-up-backup.ts';
import { failBackup, reasonFor } from './fail-backup.ts';

/** Backups that run, or have ended and await their clean-up. */
export const runningBackups = (): AsyncGenerator<RunningRecord> =>
  walk<RunningRecord>({ pk: runningPartition, prefix: '', from: '0' });

export const reapBackup = async (tenant: Tenant, item: RunningRecord, deps: BackupDeps, workflow: JobWorkflow): Promise<void> => {
  const { organizationId } = tenant;
  const { backupId } = item;
  // In this order: a workflow that has ended writes nothing more.
  const execution = await workflow.describe(backupId);
  const backup = await get(backupKey.backup(tenant, backupId));
  const now = deps.clock.now();
  const decision = decideReaping(backup, item, execution, now);
  if (decision === 'leave') return;
  log.warn('reaping a backup', { backupId, verdict: typeof decision === 'string' ? decision : decision.code, execution });
  if (decision === 'start') {
    await commit([set(backupKey.running(tenant, backupId), { restartedAt: iso(now) })]);
    return workflow.start(backupId, { organizationId, backupId });
  }
  if (execution === 'running') await workflow.stop(backupId, 'given up by the reaper');
  if (typeof decision !== 'string') await failBackup(tenant, backupId, () => decision, now);
  await cleanUpBackup(tenant, backupId, deps, { isGivenUp: decision === 'give-up' });
};

export const decideReaping = (
  backup: BackupRecord | undefined,
  item: Pick<RunningRecord, 'since' | 'restartedAt'>,
  execution: Execution,
  now: Date,
): ReapingDecision =>
  decideJobReaping({
    job: backup,
    item,
    execution,
    now,
    reason: () => (backup ? reasonFor(backup, undefined, now) : internalFailure),
    startFailure: { ...internalFailure, message: 'The service could not start the backup' },
  });
