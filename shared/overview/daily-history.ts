/** Backups, storage and documents by day, from the backups that were read. */
import type * as z from 'zod/mini';
import type { HistoryDay } from '../contract/models/overview.ts';
import { restoreCost } from '../restore/index.ts';
import { costOf, wasCompleted } from '../stored-backup/index.ts';
import { isGood, isOfProject } from './project-state.ts';
import type { RecentBackup, RecentRestore } from './recent-jobs.ts';

type Day = z.input<typeof HistoryDay>;

export const historyDays = 30;
const dayMs = 24 * 3_600_000;
/** The record of a deleted or expired backup is kept for this long. */
const retiredKeptMs = 30 * dayMs;

/** Oldest day first; the last one is today, UTC. `storedBytes` is what is stored now. */
export const dailyHistory = (
  backups: readonly RecentBackup[],
  {
    restores,
    storedBytes,
    now,
  }: { readonly restores: readonly RecentRestore[]; readonly storedBytes: number; readonly now: Date },
): readonly Day[] => {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const ended = backups.filter(({ completedAt }) => completedAt !== null).map(toEnded);
  const charges = [...backups.map(backupCharge), ...restores.map(restoreCharge)];
  return Array.from({ length: historyDays }, (_, n) => {
    const start = today - (historyDays - 1 - n) * dayMs;
    return { ...dayOf(ended, start, storedBytes), cost: costWithin(charges, start) };
  });
};

interface Ended {
  readonly backup: RecentBackup;
  readonly completedMs: number;
  /** Infinite while it is stored. */
  readonly retiredMs: number;
  readonly isStored: boolean;
}

const toEnded = (backup: RecentBackup): Ended => ({
  backup,
  completedMs: Date.parse(backup.completedAt ?? ''),
  retiredMs: backup.ttl === undefined ? Number.POSITIVE_INFINITY : (backup.ttl as number) * 1_000 - retiredKeptMs,
  isStored: wasCompleted(backup),
});

const dayOf = (ended: readonly Ended[], start: number, storedNow: number): Omit<Day, 'cost'> => {
  const end = start + dayMs;
  const within = ended.filter(({ completedMs }) => completedMs >= start && completedMs < end);
  const added = within.filter(({ isStored }) => isStored);
  return {
    date: new Date(start).toISOString().slice(0, 10),
    backups: added.filter(({ backup }) => isOfProject(backup)).length,
    failed: within.filter(({ backup }) => backup.status === 'failed').length,
    addedBytes: sumOf(added.map(({ backup }) => backup.size)),
    storedBytes: Math.max(0, storedNow + sumOf(ended.map((one) => storedDifference(one, end)))),
    documents: documentsAt(ended, end),
  };
};

interface Charge {
  readonly endedAt: string | null;
  readonly cost: Day['cost'];
}
const backupCharge = ({ completedAt, reads, usdPerMillionReads }: RecentBackup): Charge => ({
  endedAt: completedAt,
  cost: costOf(reads, usdPerMillionReads),
});
const restoreCharge = ({ completedAt, ...restore }: RecentRestore): Charge => ({
  endedAt: completedAt,
  cost: restoreCost(restore),
});

/** What the jobs cost that ended within the day, rounded to micro-dollars. */
const costWithin = (charges: readonly Charge[], start: number): Day['cost'] => {
  const within = charges.filter(({ endedAt }) => {
    const endedMs = Date.parse(endedAt ?? '');
    return endedMs >= start && endedMs < start + dayMs;
  });
  return {
    reads: sumOf(within.map(({ cost }) => cost.reads)),
    estimatedUsd: Math.round(sumOf(within.map(({ cost }) => cost.estimatedUsd)) * 1e6) / 1e6,
  };
};

/** What a backup added to the storage at that moment, compared with now. */
const storedDifference = ({ backup, completedMs, retiredMs, isStored }: Ended, at: number): number => {
  if (!isStored) return 0;
  const wasThere = completedMs < at && at <= retiredMs;
  const isThere = retiredMs === Number.POSITIVE_INFINITY;
  return (Number(wasThere) - Number(isThere)) * backup.size;
};

/** Documents in the last good backups of all projects at that moment. */
const documentsAt = (ended: readonly Ended[], at: number): number => {
  const last = new Map<string, Ended>();
  for (const one of ended) {
    const isNewer = one.completedMs > (last.get(one.backup.projectId)?.completedMs ?? 0);
    if (one.completedMs < at && isNewer && one.isStored && isOfProject(one.backup) && !isBad(one.backup))
      last.set(one.backup.projectId, one);
  }
  return sumOf([...last.values()].map(({ backup }) => backup.documentCount));
};

/** A backup that was deleted since was good then. */
const isBad = (backup: RecentBackup): boolean => !isGood({ ...backup, status: 'completed' });

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
