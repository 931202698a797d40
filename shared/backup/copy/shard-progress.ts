/** What a worker writes down about its shard, each time in one transaction with the backup's own counters. */

import { setTimeout as pause } from 'node:timers/promises';
import { decilesPassed, JobEndedError } from '../../job/index.ts';
import {
  type Clock,
  commit,
  create,
  getAll,
  isConflict,
  randomFraction,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { type BackupRecord, backupKey, type PartContents, type ShardRecord } from '../model/record.ts';
import { assertBackupRunning, checkRunningBackup, updateRunningBackup } from '../model/running-backup.ts';
import { readLimitExceeded } from '../steps/plan-backup.ts';
import { type EventContext, progressEvents } from './backup-progress-events.ts';

/** Twenty workers write the same counters; a clash is over in milliseconds. */
const triesMax = 10;
const clashMs = 100;

/** A shard, and the number of the part that this run may store: as long as it is the last one given out. */
export interface Claim {
  readonly shard: ShardRecord;
  readonly part: number;
}

/** Undefined if the shard is done. */
export const claimNextPart = async (
  tenant: Tenant,
  backupId: string,
  number: number,
  clock: Clock,
): Promise<Claim | undefined> => {
  const key = backupKey.shard(tenant, backupId, number);
  for (let tries = 1; ; tries++) {
    const found = await getAll([backupKey.backup(tenant, backupId), key]);
    const [backup, shard] = found as [BackupRecord | undefined, ShardRecord | undefined];
    assertBackupRunning(backup, clock.now());
    if (!shard) throw new Error(`there is no shard ${number}`);
    if (shard.isDone) return undefined;
    const parts = shard.parts + 1;
    try {
      await commit([
        set(key, { parts }, { expected: { parts: shard.parts, isDone: false } }),
        checkRunningBackup(tenant, backupId),
      ]);
      return { shard: { ...shard, parts }, part: shard.parts };
    } catch (error) {
      if (!isConflict(error) || tries === triesMax) throw error;
      await pause(randomFraction() * clashMs);
    }
  }
};

/** How far a run has come, in all that the shard has read since it was planned. */
export interface ShardProgress {
  readonly documents: number;
  readonly reads: number;
}

/** A part that is stored, and what is true of the shard from then on. */
export interface PartResult {
  readonly part?: PartContents;
  readonly after?: string;
  readonly isDone: boolean;
  readonly countVerified?: boolean;
}

/**
 * Tells the backup how far its shard has come; with an ending it also keeps the part. Throws NotRunning if the backup has
 * ended, or if the shard was given to another run. After a crash less may be stored than was told: then nothing is told anew
 * until the shard has come further.
 */
export const checkpointShard = async (
  context: EventContext,
  backupId: string,
  { shard: { number }, part }: Claim,
  standing: ShardProgress,
  clock: Clock,
  ending?: PartResult,
): Promise<BackupRecord> => {
  const { tenant } = context;
  const keys = [backupKey.backup(tenant, backupId), backupKey.shard(tenant, backupId, number)] as const;
  for (let tries = 1; ; tries++) {
    const now = clock.now();
    const [record, shard] = await getAll(keys);
    const backup = assertBackupRunning(record, now);
    if (!shard || shard.parts !== part + 1) throw new JobEndedError('copied by another worker');
    // The answer to a commit that did happen may have been lost.
    if (ending && (shard.stored === part || shard.isDone)) return backup;
    const reads = Math.max(standing.reads, shard.reads);
    const allReads = backup.reads + reads - shard.reads;
    if (backup.maxReads !== undefined && allReads > backup.maxReads) throw readLimitExceeded(backup.maxReads, allReads);
    const counted = ending?.isDone ? standing.documents : Math.max(standing.documents, shard.counted);
    try {
      await commit([
        ...counters(context, backup, { documents: counted - shard.counted, reads: reads - shard.reads }, now),
        set(
          backupKey.shard(tenant, backupId, number),
          { counted, reads, ...(ending && endingOf(ending, standing, part)) },
          { expected: { parts: shard.parts, counted: shard.counted, reads: shard.reads } },
        ),
        ...(ending?.part
          ? [create({ ...backupKey.part(tenant, backupId, number, part), number, part, ttl: shard.ttl, ...ending.part })]
          : []),
      ]);
      return backup;
    } catch (error) {
      if (!isConflict(error) || tries === triesMax) throw error;
      await pause(randomFraction() * clashMs);
    }
  }
};

const endingOf = ({ after, isDone, countVerified, part: stored }: PartResult, { documents }: ShardProgress, part: number) => ({
  isDone,
  documents,
  ...(after !== undefined && { after: JSON.stringify(after) }),
  ...(countVerified !== undefined && { countVerified }),
  ...(stored && { stored: part }),
});

const counters = (context: EventContext, backup: BackupRecord, more: ShardProgress, now: Date): readonly Write[] => {
  const { id, toldPercent, totalDocuments } = backup;
  const percents = decilesPassed(toldPercent, backup.documents + more.documents, totalDocuments);
  const told = percents.at(-1);
  return [
    updateRunningBackup(context.tenant, id, {
      add: { documents: more.documents, reads: more.reads },
      // Whoever tells of a tenth is the only one: the others find it told.
      ...(told !== undefined && { set: { toldPercent: told }, expected: { toldPercent } }),
    }),
    ...progressEvents(context, backup, percents, totalDocuments ?? 0, now),
  ];
};
