/** Commits the progress of a writer: shard, restore counters and events in one transaction. */
import type { BackupRecord, OpenArchive } from '../../backup/index.ts';
import type { FirestoreDatabase, RateLimiter, WriteFailure } from '../../firestore/index.ts';
import { JobEndedError, type RunControl } from '../../job/index.ts';
import { commit, get, getAll, isConflict, retryOnConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import { progressEvents } from '../model/progress-events.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey } from '../model/record.ts';
import type { RestoreContext } from '../model/restore-context.ts';
import { assertSameAttempt, assertStillRunning, checkRunning, updateRunning } from '../model/running-restore.ts';
import { firstFailures } from '../model/shard-totals.ts';
import { acquireWriterLease } from '../model/writer-lease.ts';
import type { RestoreDeps } from '../restore-deps.ts';

export interface WriteRun {
  readonly context: RestoreContext;
  readonly restore: RestoreRecord;
  readonly backup: BackupRecord;
  /** The backup, and the journal, which names what to write. */
  readonly open: OpenArchive;
  readonly journal: OpenArchive;
  readonly target: FirestoreDatabase;
  readonly control: RunControl;
  readonly deps: RestoreDeps;
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
  { id, attempt }: Pick<RestoreRecord, 'id' | 'attempt'>,
  { number, handOver, random }: { readonly number: number; readonly handOver: Date; readonly random: () => number },
): Promise<WriteClaim | undefined> =>
  retryOnConflict({ ...conflictRetry, random }, async () => {
    const key = restoreKey.shard(tenant, id, number);
    const shard = await get(key);
    if (!shard) throw new Error(`there is no shard ${number}`);
    if (shard.isWritten) return undefined;
    const runs = shard.runs + 1;
    try {
      await commit([
        // Until the run reports its end, its writes are unknown.
        set(key, { runs, isUnsure: true }, { expected: { runs: shard.runs, isWritten: false } }),
        acquireWriterLease(tenant, id, { number, run: runs }, handOver),
        checkRunning(tenant, id, { attempt }),
      ]);
    } catch (error) {
      if (isConflict(error)) await assertStillRunning(tenant, { id, attempt });
      throw error;
    }
    return { shard: { ...shard, runs }, run: runs, isRepeat: shard.isUnsure ?? false };
  });

/** What a run has done since its last report; users in the shard of users. */
export interface WriteProgress {
  readonly written: number;
  readonly deleted: number;
  readonly raced: number;
  readonly failed: number;
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
  const keys = [restoreKey.restore(tenant, id), restoreKey.shard(tenant, id, number)] as const;
  /** The shard's report count only grows, so it identifies this report. */
  let report: number | undefined;
  return retryOnConflict({ ...conflictRetry, random }, async () => {
    const [record, shard] = await getAll(keys);
    const restore = assertSameAttempt(record, attempt);
    if (shard?.runs !== run) throw new JobEndedError('written by another worker');
    // An earlier commit succeeded although its response was lost.
    if (report !== undefined && shard.reports === report) return;
    report = (shard.reports ?? 0) + 1;
    await commit([
      ...restoreWrites(context, restore, shard, progress, clock.now()),
      set(
        restoreKey.shard(tenant, id, number),
        { ...shardAfter(shard, progress), reports: report },
        { expected: { runs: run, reports: shard.reports } },
      ),
    ]);
  });
};

const shardAfter = (shard: RestoreShardRecord, progress: WriteProgress) => ({
  written: shard.written + progress.written,
  deleted: shard.deleted + progress.deleted,
  raced: shard.raced + progress.raced,
  failed: shard.failed + progress.failed,
  failures: firstFailures([...shard.failures, ...progress.failures]),
  reads: shard.reads + (progress.reads ?? 0),
  ...(progress.writtenTo !== undefined && { writtenTo: JSON.stringify(progress.writtenTo) }),
  ...(progress.isClean && { isUnsure: false }),
  ...(progress.isWritten && { isWritten: true }),
  stalledSince: progress.stalledSince,
});

const restoreWrites = (
  context: RestoreContext,
  restore: RestoreRecord,
  { range }: RestoreShardRecord,
  progress: WriteProgress,
  now: Date,
): readonly Write[] => {
  const { toldPercent, failed, attempt } = restore;
  // Users are counted apart, when the restore finishes.
  const counts = range === undefined ? noWrites : progress;
  const add = {
    written: counts.written,
    deleted: counts.deleted,
    raced: counts.raced,
    failed: counts.failed,
    reads: progress.reads ?? 0,
  };
  const { reportedPercent, writes } = progressEvents(
    context,
    {
      ...restore,
      written: restore.written + add.written,
      deleted: restore.deleted + add.deleted,
      raced: restore.raced + add.raced,
      failed: restore.failed + add.failed,
      reads: restore.reads + add.reads,
    },
    now,
  );
  const hasFailures = counts.failures.length > 0;
  const isReporting = reportedPercent !== undefined;
  return [
    updateRunning(context.tenant, restore.id, {
      add,
      set: {
        ...(isReporting && { toldPercent: reportedPercent }),
        ...(hasFailures && { failures: firstFailures([...restore.failures, ...counts.failures]) }),
      },
      // Only one worker emits an event, and only with the whole list of failures read is the list extended.
      expected: { attempt, ...(isReporting && { toldPercent }), ...(hasFailures && { failed }) },
    }),
    ...writes,
  ];
};

const noWrites = { written: 0, deleted: 0, raced: 0, failed: 0, failures: [] };
