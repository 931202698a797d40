/** Commits the progress of a writer: shard, restore counters and events in one transaction. */

import type { RateLimiter, WriteFailure } from '../../firestore/index.ts';
import { JobEndedError, withoutWait } from '../../job/index.ts';
import type { DocumentMasker } from '../../mask/index.ts';
import { commit, retryOnConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import type { OpenArchive } from '../../stored-backup/index.ts';
import { restoreProgressEvents } from '../model/progress-events.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey, type WriteCounts } from '../model/record.ts';
import type { RestoreContext } from '../model/restore-context.ts';
import { checkRunning, type RunningAttempt, readShard, updateRunning } from '../model/running-restore.ts';
import { firstFailures, noWrites, sumCounts } from '../model/shard-totals.ts';
import { acquireWriterLease } from '../model/writer-lease.ts';
import type { ShardRun } from '../run/shard-run.ts';

export interface WriteRun extends ShardRun {
  /** It names what to write. */
  readonly journal: OpenArchive;
  /** Of a masked copy. */
  readonly masker?: DocumentMasker | undefined;
  /** Without it only the target limits the rate. */
  readonly rateLimiter?: RateLimiter | undefined;
}

/** A shard, valid until another run claims it. */
export interface WriteClaim {
  readonly shard: RestoreShardRecord;
  readonly run: number;
  /** An earlier run may have written beyond the checkpoint. */
  readonly isRepeat: boolean;
}

/** Twenty workers update the same counters; a conflict resolves within milliseconds. */
const conflictRetry = { attempts: 10, jitterMs: 100 };

/** Undefined if the shard is done. The claim acquires a writer lease; release it with `releaseWriterLease`. */
export const claimShard = (
  tenant: Tenant,
  { id, attempt }: RunningAttempt,
  { number, handOver, random }: { readonly number: number; readonly handOver: Date; readonly random: () => number },
): Promise<WriteClaim | undefined> =>
  retryOnConflict({ ...conflictRetry, random }, async () => {
    const { shard } = await readShard(tenant, { id, attempt }, number);
    if (shard.isWritten) return undefined;
    const runs = shard.runs + 1;
    const expected = { runs: shard.runs, isWritten: false };
    await commit([
      // Until the run reports its end, its writes are unknown.
      set(restoreKey.shard(tenant, id, number), { runs, isUnsure: true }, { expected }),
      acquireWriterLease(tenant, { id, writerRun: { number, run: runs }, handOver }),
      checkRunning(tenant, id, { attempt }),
    ]);
    return { shard: { ...shard, runs }, run: runs, isRepeat: shard.isUnsure ?? false };
  });

/** What a run has done since its last report; users in the shard of users. */
export interface WriteProgress extends WriteCounts {
  readonly failures: readonly WriteFailure[];
  /** Documents looked up in the target. */
  readonly reads?: number;
  /** The path up to which, itself included, the outcome of every write is known. */
  readonly writtenTo?: string;
  /** The run makes no more writes, and the outcome of all is known. */
  readonly isClean?: boolean;
  /** The whole shard is written. */
  readonly isWritten?: boolean;
  /** Since when the target accepts no writes. */
  readonly stalledSince?: string | undefined;
}

/**
 * Commits the progress of a run. Throws JobEndedError if the restore has ended, or if another run has the shard: that one reads what
 * this one has written.
 */
export const reportWrites = (
  { context, restore: { id, attempt }, deps: { clock, random } }: Pick<WriteRun, 'context' | 'restore' | 'deps'>,
  { shard: { number }, run }: WriteClaim,
  progress: WriteProgress,
): Promise<void> => {
  const { tenant } = context;
  /** The shard's report count only grows, so it identifies this report. */
  let report: number | undefined;
  return retryOnConflict({ ...conflictRetry, random }, async () => {
    const { restore, shard } = await readShard(tenant, { id, attempt }, number);
    if (shard.runs !== run) throw new JobEndedError('written by another worker');
    // An earlier commit succeeded although its response was lost.
    if (report !== undefined && shard.reports === report) return;
    report = (shard.reports ?? 0) + 1;
    await commit([
      ...restoreWrites(context, { restore, shard, progress, now: clock.now() }),
      set(
        restoreKey.shard(tenant, id, number),
        { ...shardAfter(shard, progress), reports: report },
        { expected: { runs: run, reports: shard.reports } },
      ),
    ]);
  });
};

const shardAfter = (shard: RestoreShardRecord, progress: WriteProgress) => ({
  ...sumCounts([shard, progress]),
  failures: firstFailures([...shard.failures, ...progress.failures]),
  reads: shard.reads + (progress.reads ?? 0),
  ...(progress.writtenTo !== undefined && { writtenTo: JSON.stringify(progress.writtenTo) }),
  ...(progress.isClean && { isUnsure: false }),
  ...(progress.isWritten && { isWritten: true }),
  stalledSince: progress.stalledSince,
});

const restoreWrites = (
  context: RestoreContext,
  {
    restore,
    shard: { range },
    progress,
    now,
  }: {
    readonly restore: RestoreRecord;
    readonly shard: RestoreShardRecord;
    readonly progress: WriteProgress;
    readonly now: Date;
  },
): readonly Write[] => {
  const { toldPercent, failed, attempt } = restore;
  // Users are counted apart, when the restore finishes.
  const counts = range === undefined ? noWrites : sumCounts([progress]);
  const failures = range === undefined ? [] : progress.failures;
  const add = { ...counts, reads: progress.reads ?? 0 };
  const isProgress = progress.written + progress.deleted + progress.raced + progress.failed > 0;
  const after = {
    ...(isProgress ? withoutWait(restore) : restore),
    ...sumCounts([restore, counts]),
    reads: restore.reads + add.reads,
  };
  const { reportedPercent, writes } = restoreProgressEvents(context, after, now);
  const hasFailures = failures.length > 0;
  const isReporting = reportedPercent !== undefined;
  return [
    updateRunning(context.tenant, restore.id, {
      add,
      set: {
        ...(isProgress && { waitingFor: undefined }),
        ...(isReporting && { toldPercent: reportedPercent }),
        ...(hasFailures && { failures: firstFailures([...restore.failures, ...failures]) }),
      },
      // Only one worker emits an event, and only with the whole list of failures read is the list extended.
      expected: { attempt, ...(isReporting && { toldPercent }), ...(hasFailures && { failed }) },
    }),
    ...writes,
  ];
};
