/** One run of a worker that writes, and what it writes down of its shard: each time in one transaction with the restore's own counters. */
import { setTimeout as pause } from 'node:timers/promises';
import type { BackupRecord, OpenArchive } from '../../backup/index.ts';
import type { FirestoreDatabase, RateLimiter, WriteFailure } from '../../firestore/index.ts';
import { JobEndedError, type RunControl } from '../../job/index.ts';
import { type Clock, commit, get, getAll, isConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import { acquireWriterLease } from '../model/active-writers.ts';
import { firstFailures } from '../model/reconcile-counts.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey } from '../model/record.ts';
import type { RestoreContext } from '../model/restore-context.ts';
import { progressEvents } from '../model/restore-progress-events.ts';
import { updateRunning, assertStillRunning, assertSameAttempt, checkRunning } from '../model/running-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';

export interface WriteRun {
  readonly context: RestoreContext;
  readonly restore: RestoreRecord;
  readonly backup: BackupRecord;
  /** The backup, and the journal, which says what is to be touched. */
  readonly open: OpenArchive;
  readonly journal: OpenArchive;
  readonly target: FirestoreDatabase;
  readonly control: RunControl;
  readonly deps: RestoreDeps;
  /** Without it nothing holds the run back but the target. */
  readonly rateLimiter?: RateLimiter | undefined;
}

/** A shard, as long as no other run has claimed it. */
export interface WriteClaim {
  readonly shard: RestoreShardRecord;
  readonly run: number;
  /** Whether writes behind the checkpoint may have been made by a run that did not tell. */
  readonly isRepeat: boolean;
}

/** Twenty workers write the same counters; a clash is over in milliseconds. */
const triesMax = 10;
const clashMs = 100;

/** Undefined if the shard is done. From then on the target is known to have a writer, until `writerEnds`. */
export const claimShard = async (
  tenant: Tenant,
  { id, attempt }: Pick<RestoreRecord, 'id' | 'attempt'>,
  number: number,
  random: () => number,
  handOver: Date,
): Promise<WriteClaim | undefined> => {
  const key = restoreKey.shard(tenant, id, number);
  for (let tries = 1; ; tries++) {
    const shard = await get(key);
    if (!shard) throw new Error(`there is no shard ${number}`);
    if (shard.isWritten) return undefined;
    const runs = shard.runs + 1;
    try {
      await commit([
        // Until the run says how it ended, nobody knows what it wrote.
        set(key, { runs, isUnsure: true }, { expected: { runs: shard.runs, isWritten: false } }),
        acquireWriterLease(tenant, id, { number, run: runs }, handOver),
        checkRunning(tenant, id, { attempt }),
      ]);
      return { shard: { ...shard, runs }, run: runs, isRepeat: shard.isUnsure ?? false };
    } catch (error) {
      if (!isConflict(error)) throw error;
      await assertStillRunning(tenant, { id, attempt });
      if (tries === triesMax) throw error;
      await pause(random() * clashMs);
    }
  }
};

/** What a run has done since it last told. Of the shard of users, users are counted. */
export interface WriteProgress {
  readonly written: number;
  readonly deleted: number;
  readonly raced: number;
  readonly failed: number;
  readonly failures: readonly WriteFailure[];
  /** Documents of the target that were looked up. */
  readonly reads?: number;
  /** Up to this name below the database, and with it, it is known of every write what became of it. */
  readonly writtenTo?: string;
  /** All writes of the run are known, and it makes no more. */
  readonly isClean?: boolean;
  /** So is all of the shard. */
  readonly isWritten?: boolean;
  /** Since when the target takes nothing. */
  readonly stalledSince?: string | undefined;
}

/**
 * Keeps what a run has done. Throws NotRunning if the restore has ended, or if the shard was given to another run: then that one
 * looks at what this one has written.
 */
export const reportWrites = async (
  { context: parties, restore: { id, attempt }, deps: { clock, random } }: Pick<WriteRun, 'parties' | 'restore' | 'engine'>,
  { shard: { number }, run }: WriteClaim,
  progress: WriteProgress,
): Promise<void> => {
  const { tenant } = context;
  const keys = [restoreKey.restore(tenant, id), restoreKey.shard(tenant, id, number)] as const;
  /** Told apart from the commits of other runs by what the shard counts: it only grows. */
  let expected: number | undefined;
  for (let tries = 1; ; tries++) {
    const [record, shard] = await getAll(keys);
    const restore = assertSameAttempt(record, attempt);
    if (shard?.runs !== run) throw new JobEndedError('written by another worker');
    // The answer to a commit that did happen may have been lost.
    if (expected !== undefined && shard.reports === expected) return;
    expected = (shard.reports ?? 0) + 1;
    try {
      await commit([
        ...restoreWrites(context, restore, shard, progress, clock),
        set(
          restoreKey.shard(tenant, id, number),
          { ...shardAfter(shard, progress), reports: expected },
          { expected: { runs: run, reports: shard.reports } },
        ),
      ]);
      return;
    } catch (error) {
      if (!isConflict(error) || tries === triesMax) throw error;
      await pause(random() * clashMs);
    }
  }
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
  parties: RestoreContext,
  restore: RestoreRecord,
  { range }: RestoreShardRecord,
  progress: WriteProgress,
  clock: Clock,
): readonly Write[] => {
  const { toldPercent, failed, attempt } = restore;
  // Users are counted by themselves, when the restore ends.
  const more = range === undefined ? none : progress;
  const after: RestoreRecord = {
    ...restore,
    written: restore.written + more.written,
    deleted: restore.deleted + more.deleted,
    raced: restore.raced + more.raced,
    failed: restore.failed + more.failed,
    reads: restore.reads + (progress.reads ?? 0),
  };
  const { told, writes } = progressEvents(parties, after, clock.now());
  const failures = more.failures.length > 0 ? { failures: firstFailures([...restore.failures, ...more.failures]) } : {};
  return [
    updateRunning(parties.tenant, restore.id, {
      add: {
        ...{ written: more.written, deleted: more.deleted, raced: more.raced, failed: more.failed },
        reads: progress.reads ?? 0,
      },
      set: { ...(told !== undefined && { toldPercent: told }), ...failures },
      // Whoever tells of a tenth is the only one, and whoever adds to a list has seen all of it.
      expected: { attempt, ...(told !== undefined && { toldPercent }), ...('failures' in failures && { failed }) },
    }),
    ...writes,
  ];
};

const none = { written: 0, deleted: 0, raced: 0, failed: 0, failures: [] };
