import { markMoving, RunControl, watchCalls, withHeartbeat } from '../../job/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { type BackupDeps, type BackupRecord, backupKey } from '../../stored-backup/index.ts';
import { BackupWaits } from '../model/backup-waits.ts';
import { assertBackupRunning, readRunningBackup, timeoutFailure } from '../model/running-backup.ts';

/** What a step works with. Its calls are watched; the signal is aborted once the backup has ended or timed out. */
export interface StepRun {
  readonly backup: BackupRecord;
  readonly deps: BackupDeps;
  readonly signal: AbortSignal;
  readonly control: RunControl;
}

/** Runs a step that copies nothing beside a heartbeat, which stops it once the backup has ended and reports its waits. */
export const withBackupStep = async <T>(
  tenant: Tenant,
  {
    backupId,
    deps: given,
    work,
  }: { readonly backupId: string; readonly deps: BackupDeps; readonly work: (run: StepRun) => Promise<T> },
): Promise<T> => {
  const { deps, calls, database } = watchCalls(given);
  const { clock } = deps;
  const { backup, organization } = await readRunningBackup(tenant, backupId, clock.now());
  const project = await readProject(tenant, backup.projectId);
  const waits = new BackupWaits({ context: { tenant, project, organization }, database, calls, clock });
  const key = backupKey.backup(tenant, backupId);
  const checkRunning = async (now: Date): Promise<void> => {
    const current = assertBackupRunning(await get(key), now);
    await waits.observe(current);
    await markMoving(key, current, now);
  };
  const deadline = backup.deadline ?? '';
  const control = new RunControl(new Date(deadline), clock, { at: deadline, error: timeoutFailure(backup) });
  try {
    return await withHeartbeat({ checkRunning, control, clock }, () => work({ backup, deps, signal: control.storing, control }));
  } catch (error) {
    throw control.explain(error);
  } finally {
    control.close();
  }
};
