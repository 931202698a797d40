/** Backups whose workflow died, never began or ran out of time: what the workflow can no longer do for them is done here. */
import { after, commit, get, iso, log, set, type Tenant, walk } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { type BackupRecord, backupKey, type RunningRecord, runningPartition } from '../model/record.ts';
import { internalFailure } from '../steps/backup-steps.ts';
import { cleanUpBackup } from './clean-up-backup.ts';
import { failBackup, type Reason, reasonFor } from './fail-backup.ts';

/** The workflow of backups, as the reaper sees it. */
export interface Workflow {
  look(backupId: string): Promise<'running' | 'ended' | 'unknown'>;
  start(organizationId: string, backupId: string): Promise<void>;
  stop(backupId: string, cause: string): Promise<void>;
}

/** Tasks reach the queue within seconds; one that took so long is lost, or dead-lettered. */
const startMaxSeconds = 300;
/** Beyond its deadline the steps end it themselves, once their present try is over. */
const graceSeconds = 1_800;
/** Objects that a destination does not let go of for so long stay. */
const cleanMaxSeconds = 24 * 3_600;

/** All that is under way, or has ended and is not cleaned up after. */
export const runningBackups = (): AsyncGenerator<RunningRecord> =>
  walk<RunningRecord>({ pk: runningPartition, prefix: '', from: '0' });

export const reapBackup = async (tenant: Tenant, note: RunningRecord, deps: BackupDeps, workflow: Workflow): Promise<void> => {
  const { backupId } = note;
  // In this order: a workflow that was seen to have ended has written all that it ever will.
  const execution = await workflow.look(backupId);
  const backup = await get(backupKey.backup(tenant, backupId));
  const now = deps.clock.now();
  const verdict = decideReaping(backup, note, execution, now);
  if (verdict === 'leave') return;
  log.warn('reaping a backup', { backupId, verdict: typeof verdict === 'string' ? verdict : verdict.code, execution });
  if (verdict === 'start') {
    await commit([set(backupKey.running(tenant, backupId), { restartedAt: iso(now) })]);
    return workflow.start(tenant.organizationId, backupId);
  }
  if (execution === 'running') await workflow.stop(backupId, 'given up by the reaper');
  if (typeof verdict !== 'string') await failBackup(tenant, backupId, () => verdict, now);
  await cleanUpBackup(tenant, backupId, deps, verdict === 'give-up');
};

type Verdict = 'leave' | 'start' | 'clean' | 'give-up' | Reason;

/** Decided apart from all doing, so that every case can be looked at. */
export const decideReaping = (
  backup: BackupRecord | undefined,
  { since, restartedAt }: RunningRecord,
  execution: 'running' | 'ended' | 'unknown',
  now: Date,
): Verdict => {
  const isOlder = (moment: string | null | undefined, seconds: number): boolean =>
    moment != null && Date.parse(moment) <= after(now, -seconds).getTime();
  if (!backup) return 'clean';
  const { status, deadline, completedAt } = backup;
  if (status === 'pending' || status === 'running') {
    if (isOlder(deadline, graceSeconds)) return reasonFor(backup, undefined, now);
    if (execution === 'running') return 'leave';
    if (execution === 'ended') return reasonFor(backup, undefined, now);
    // No such execution: the task that starts it is on its way, or lost.
    if (!isOlder(restartedAt ?? since, startMaxSeconds)) return 'leave';
    return restartedAt === undefined ? 'start' : { ...internalFailure, message: 'The service could not start the backup' };
  }
  // The workflow cleans up by itself; one that still runs so long after the end is stuck.
  const endedAt = completedAt ?? deadline ?? since;
  if (isOlder(endedAt, cleanMaxSeconds)) return 'give-up';
  return execution === 'running' && !isOlder(endedAt, graceSeconds) ? 'leave' : 'clean';
};
