/** One run of a worker over a shard: what checking and writing have in common. */

import type { FirestoreDatabase } from '../../firestore/index.ts';
import { markMoving, RunControl, watchCalls, withHeartbeat } from '../../job/index.ts';
import type { BackupRecord, OpenArchive } from '../../stored-backup/index.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import { loadRestoreContext, type RestoreContext } from '../model/restore-context.ts';
import { assertStillRunning, type RunningRestoreContext, type ShardAttempt } from '../model/running-restore.ts';
import { openForRestore, readSourceBackup } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { WaitReporter } from './wait-reporter.ts';

export interface ShardRun {
  readonly context: RestoreContext;
  readonly restore: RestoreRecord;
  readonly backup: BackupRecord;
  readonly open: OpenArchive;
  readonly target: FirestoreDatabase;
  readonly control: RunControl;
  /** Its stores are watched, so that the run can report that it waits for a bucket. */
  readonly deps: RestoreDeps;
  readonly waits?: WaitReporter;
}

interface ShardRunOptions extends RunningRestoreContext {
  readonly deps: RestoreDeps;
  /** Verifies the header of every object of the backup. */
  readonly verifyHeaders?: boolean;
}

export const withShardRun = async <T>(
  { tenant, handOver }: ShardAttempt,
  { restore, organization, deps: given, verifyHeaders = false }: ShardRunOptions,
  work: (run: ShardRun) => Promise<T>,
): Promise<T> => {
  const context = await loadRestoreContext(tenant, restore, organization);
  const { deps, calls, database } = watchCalls(given);
  const backup = await readSourceBackup(tenant, restore.backupId);
  const open = await openForRestore(tenant, backup, { ...deps, verifyHeaders });
  const target = deps.openSource(tenant, context.target);
  const control = new RunControl(handOver, deps.clock);
  try {
    const waits = new WaitReporter({ context, database, calls, clock: deps.clock });
    return await work({ context, restore, backup, open, target, control, deps, waits });
  } finally {
    control.close();
    target.close();
    open.close();
  }
};

type HeartbeatRun = Pick<ShardRun, 'context' | 'restore' | 'control' | 'deps' | 'waits'>;

/** Runs `work` beside a heartbeat that stops the run once the attempt has ended, and reports its waits. */
export const withShardHeartbeat = <T>(
  { context, restore, control, deps, waits }: HeartbeatRun,
  work: () => Promise<T>,
): Promise<T> => {
  const checkRunning = async (now: Date): Promise<void> => {
    const current = await assertStillRunning(context.tenant, restore);
    await waits?.observe(current);
    await markMoving(restoreKey.restore(context.tenant, restore.id), current, now);
  };
  return withHeartbeat({ checkRunning, control, clock: deps.clock }, work);
};
