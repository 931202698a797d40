/** One run of a worker over a shard: what checking and writing have in common. */
import type { BackupRecord, OpenArchive } from '../../backup/index.ts';
import type { FirestoreDatabase } from '../../firestore/index.ts';
import { RunControl, withHeartbeat as runWithHeartbeat } from '../../job/index.ts';
import { openForRestore, readSourceBackup } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import type { RestoreRecord } from './record.ts';
import { loadRestoreContext, type RestoreContext } from './restore-context.ts';
import { assertStillRunning, type RunningRestoreContext, type ShardAttempt } from './running-restore.ts';

export interface ShardRun {
  readonly context: RestoreContext;
  readonly restore: RestoreRecord;
  readonly backup: BackupRecord;
  readonly open: OpenArchive;
  readonly target: FirestoreDatabase;
  readonly control: RunControl;
  readonly deps: RestoreDeps;
}

interface ShardRunOptions extends RunningRestoreContext {
  readonly deps: RestoreDeps;
  /** Verifies the header of every object of the backup. */
  readonly verifyHeaders?: boolean;
}

export const withShardRun = async <T>(
  { tenant, handOver }: ShardAttempt,
  { restore, organization, deps, verifyHeaders = false }: ShardRunOptions,
  work: (run: ShardRun) => Promise<T>,
): Promise<T> => {
  const context = await loadRestoreContext(tenant, restore, organization);
  const backup = await readSourceBackup(tenant, restore.backupId);
  const open = await openForRestore(tenant, backup, { ...deps, verifyHeaders });
  const target = deps.openSource(tenant, context.target);
  const control = new RunControl(handOver, deps.clock);
  try {
    return await work({ context, restore, backup, open, target, control, deps });
  } finally {
    control.close();
    target.close();
    open.close();
  }
};

/** Runs `work` beside a heartbeat that stops the run once the attempt has ended. */
export const withHeartbeat = <T>({ context, restore, control, deps }: ShardRun, work: () => Promise<T>): Promise<T> => {
  const checkRunning = () => assertStillRunning(context.tenant, restore);
  return runWithHeartbeat({ checkRunning, control, clock: deps.clock }, work);
};
