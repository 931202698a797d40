import type { FilterSource } from '../../archive/index.ts';
import type { ObjectStore } from '../../destination/index.ts';
import { markMoving, type RunControl, withHeartbeat } from '../../job/index.ts';
import { get } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { type BackupDeps, backupKey, type EventContext, type PlannedBackup } from '../../stored-backup/index.ts';
import type { DocumentReading } from '../build/open-reading.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';
import type { BackupWaits } from '../model/backup-waits.ts';
import { assertBackupRunning } from '../model/running-backup.ts';
import { type Claim, checkpointShard, type ShardProgress } from './shard-progress.ts';

export interface CopyRun {
  readonly context: EventContext;
  readonly backup: PlannedBackup;
  readonly project: ProjectRecord;
  readonly deps: BackupDeps;
  readonly reading: DocumentReading;
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
  /** What its documents are filtered by for searches. */
  readonly filter?: FilterSource | undefined;
  /** The parent of an incremental backup; opened once, on first use. */
  readonly parent: () => Promise<ParentArchive | undefined>;
  readonly control: RunControl;
  readonly waits?: BackupWaits;
}

/** Runs `work` under a heartbeat, which stops the run once the backup has ended and reports the progress of the shard and its waits. */
export const withCopyHeartbeat = async <T>(
  run: Omit<CopyRun, 'reading' | 'parent'>,
  {
    claim,
    work,
    progress,
  }: { readonly claim: Claim; readonly work: () => Promise<T>; readonly progress?: (() => ShardProgress) | undefined },
): Promise<T> => {
  const { context, backup, control, deps, waits } = run;
  let reported = claim.shard.counted;
  const heartbeat = {
    checkRunning: async (now: Date) => {
      const current = assertBackupRunning(await get(backupKey.backup(context.tenant, backup.id)), now);
      await waits?.observe(current);
      await markMoving(backupKey.backup(context.tenant, backup.id), current, now);
    },
    total: backup.totalDocuments ?? 0,
    control,
    clock: deps.clock,
    unreported: () => (progress ? progress().documents - reported : 0),
    report: async () => {
      const current = progress?.();
      if (!current) return;
      await checkpointShard(run, { claim, progress: current });
      reported = Math.max(reported, current.documents);
    },
  };
  return withHeartbeat(heartbeat, work);
};
