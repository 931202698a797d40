/** Claims and checkpoints of a shard, each in one transaction with the backup's counters. */
import { decilesPassed, JobEndedError, waitEnds, withoutWait } from '../../job/index.ts';
import { type Clock, commit, create, getAll, retryOnConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  backupKey,
  backupProgressEvents,
  type EventContext,
  type PartContents,
  type ShardRecord,
} from '../../stored-backup/index.ts';
import { assertBackupRunning, checkRunningBackup, isSamePlan, updateRunningBackup } from '../model/running-backup.ts';
import { readLimitExceeded } from '../steps/plan-backup.ts';

/** Twenty workers update the same counters; a conflict is over in milliseconds. */
const conflictRetry = { attempts: 10, jitterMs: 100 };

/** A shard and the part that this run may store, as long as no later part was claimed. */
export interface Claim {
  readonly shard: ShardRecord;
  readonly part: number;
}

interface ClaimRun {
  /** As planned: a shard of a later plan is not for this run. */
  readonly backup: Pick<BackupRecord, 'id' | 'planNumber' | 'shards'>;
  readonly number: number;
  readonly clock: Clock;
}

/** Undefined if the shard is done, or its plan was given up. */
export const claimNextPart = (tenant: Tenant, { backup, number, clock }: ClaimRun): Promise<Claim | undefined> => {
  const { id, planNumber, shards } = backup;
  const key = backupKey.shard(tenant, id, number);
  return retryOnConflict(conflictRetry, async () => {
    const [current, shard] = await getAll([backupKey.backup(tenant, id), key]);
    if (!isSamePlan(assertBackupRunning(current, clock.now()), backup)) return undefined;
    if (!shard) throw new Error(`there is no shard ${number}`);
    if (shard.isDone) return undefined;
    const parts = shard.parts + 1;
    await commit([
      set(key, { parts }, { expected: { parts: shard.parts, isDone: false } }),
      checkRunningBackup(tenant, id, { planNumber, shards }),
    ]);
    return { shard: { ...shard, parts }, part: shard.parts };
  });
};

/** What all runs have read of the shard so far. */
export interface ShardProgress {
  readonly documents: number;
  readonly reads: number;
}

/** A stored part, and the state of the shard from then on. */
export interface PartResult {
  readonly part?: PartContents;
  readonly after?: string;
  readonly isDone: boolean;
  readonly countVerified?: boolean;
}

interface ShardRun {
  readonly context: EventContext;
  readonly backup: Pick<BackupRecord, 'id'>;
  readonly deps: Pick<BackupDeps, 'clock'>;
}

/**
 * Adds the progress of a shard to the backup's counters; with a result it also stores the part. Throws JobEndedError if the backup
 * has ended, or if another run has claimed the shard. After a crash the counters may be ahead of the stored parts: then they stay
 * until the shard has caught up.
 */
export const checkpointShard = (
  { context, backup: { id: backupId }, deps: { clock } }: ShardRun,
  {
    claim: {
      shard: { number },
      part,
    },
    progress,
    result,
  }: { readonly claim: Claim; readonly progress: ShardProgress; readonly result?: PartResult | undefined },
): Promise<BackupRecord> => {
  const { tenant } = context;
  const shardKey = backupKey.shard(tenant, backupId, number);
  return retryOnConflict(conflictRetry, async () => {
    const now = clock.now();
    const [record, shard] = await getAll([backupKey.backup(tenant, backupId), shardKey]);
    const backup = assertBackupRunning(record, now);
    if (!shard || shard.parts !== part + 1) throw new JobEndedError('copied by another worker');
    // The commit may have succeeded and its response been lost.
    if (result && (shard.stored === part || shard.isDone)) return backup;
    const reads = Math.max(progress.reads, shard.reads);
    const allReads = backup.reads + reads - shard.reads;
    if (backup.maxReads !== undefined && allReads > backup.maxReads) throw readLimitExceeded(backup.maxReads, allReads);
    const counted = result?.isDone ? progress.documents : Math.max(progress.documents, shard.counted);
    await commit([
      ...counterWrites(context, {
        record: backup,
        added: { documents: counted - shard.counted, reads: reads - shard.reads },
        now,
      }),
      set(
        shardKey,
        { counted, reads, ...(result && shardFields(result, progress, part)) },
        { expected: { parts: shard.parts, counted: shard.counted, reads: shard.reads } },
      ),
      ...(result?.part
        ? [create({ ...backupKey.part(tenant, backupId, { number, part }), number, part, ttl: shard.ttl, ...result.part })]
        : []),
    ]);
    return backup;
  });
};

const shardFields = ({ after, isDone, countVerified, part: stored }: PartResult, { documents }: ShardProgress, part: number) => ({
  isDone,
  documents,
  ...(after !== undefined && { after: JSON.stringify(after) }),
  ...(countVerified !== undefined && { countVerified }),
  ...(stored && { stored: part }),
});

const counterWrites = (
  context: EventContext,
  { record, added, now }: { readonly record: BackupRecord; readonly added: ShardProgress; readonly now: Date },
): readonly Write[] => {
  const isProgress = added.documents > 0;
  const backup = isProgress ? withoutWait(record) : record;
  const { id, toldPercent, totalDocuments } = backup;
  const wait = isProgress && record.waitingFor ? waitEnds(record, now) : undefined;
  const percents = decilesPassed(toldPercent, backup.documents + added.documents, totalDocuments);
  const reached = percents.at(-1);
  return [
    updateRunningBackup(context.tenant, id, {
      add: { documents: added.documents, reads: added.reads },
      set: {
        ...(reached !== undefined && { toldPercent: reached }),
        ...wait?.set,
      },
      append: wait?.append,
      // Of concurrent workers only one emits the event of a decile.
      ...(reached !== undefined && { expected: { toldPercent } }),
    }),
    ...backupProgressEvents(context, { backup, percents, totalDocuments: totalDocuments ?? 0, now }),
  ];
};
