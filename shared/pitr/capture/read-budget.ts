/** The reads of a cycle, and the budget for look-ups that prove every second. */
import { pastReadsPerHour } from '../../contract/limits.ts';
import { after, iso } from '../../platform/index.ts';
import { type Reads, utcDate } from '../../project/index.ts';
import type { PitrRecord } from '../model/record.ts';

/** Counted over all attempts of a cycle: failed ones are billed, too. */
export interface ReadBudget {
  reads: number;
  /** Look-ups among them, beyond one per change. */
  lookups: number;
  /** Reads among them that prove seconds of an interruption. */
  pastReads: number;
  /** Reads among them that list root collections and ask for the time, and that count all documents. */
  listing: number;
  counts: number;
  /** More look-ups would have been needed: not every second is known. */
  isSpent: boolean;
}

export const newReadBudget = (): ReadBudget => ({
  ...{ reads: 0, lookups: 0, pastReads: 0, listing: 0, counts: 0 },
  isSpent: false,
});

/** Beyond one look-up per change. Once they are spent none are made for the rest of the hour: their result would be incomplete. */
const lookupsPerHour = 10_000;
const hourSeconds = 3_600;

const currentHour = <T extends { readonly since: string }>(spent: T | undefined, now: Date): T | undefined =>
  spent && after(new Date(spent.since), hourSeconds) > now ? spent : undefined;

/** Undefined if the budget of this hour is spent. */
export const remainingLookups = (
  pitr: Pick<PitrRecord, 'lookups'>,
  { lookups, isSpent }: ReadBudget,
  now: Date,
): number | undefined => {
  const { reads = 0, spentAt } = currentHour(pitr.lookups, now) ?? {};
  return isSpent || spentAt !== undefined ? undefined : Math.max(0, lookupsPerHour - reads - lookups);
};

/** Reads that may prove seconds of an interruption in this hour. */
export const remainingPastReads = (pitr: Pick<PitrRecord, 'pastReads'>, { pastReads }: ReadBudget, now: Date): number =>
  Math.max(0, pastReadsPerHour - (currentHour(pitr.pastReads, now)?.reads ?? 0) - pastReads);

/** Counts of everything that may prove the read time of a requested base, which itself read every document. */
const countsPerBase = 10;
const entriesPerRead = 1_000;

/** Reads that may prove the read time of a requested base, whatever else was proven in this hour. */
export const baseProofReads = (counts: readonly number[]): number =>
  Math.max(
    pastReadsPerHour,
    countsPerBase * counts.reduce((sum, count) => sum + Math.max(1, Math.ceil(count / entriesPerRead)), 0),
  );

/** What a cycle read, by what for. */
export const readsOf = ({ reads, lookups, pastReads, listing, counts }: ReadBudget): Reads => ({
  changes: Math.max(0, reads - lookups - pastReads - listing - counts),
  ...{ lookups, proofs: pastReads, listing, counts },
});

/** Reads for counts that were made on the day of `now`. */
export const countsOfToday = ({ countReads }: Pick<PitrRecord, 'countReads'>, now: Date): number =>
  countReads?.date === utcDate(now) ? countReads.reads : 0;

/** The record's counters after the cycle. */
export const spentFields = (
  pitr: Pick<PitrRecord, 'reads' | 'lookups' | 'pastReads' | 'countReads'>,
  { reads, lookups, pastReads, counts, isSpent }: ReadBudget,
  now: Date,
): Pick<PitrRecord, 'reads' | 'lookups' | 'pastReads' | 'countReads'> => {
  const past = currentHour(pitr.pastReads, now) ?? { since: iso(now), reads: 0 };
  const total = {
    reads: pitr.reads + reads,
    ...(counts > 0 && { countReads: { date: utcDate(now), reads: countsOfToday(pitr, now) + counts } }),
    ...(pastReads > 0 && { pastReads: { ...past, reads: past.reads + pastReads } }),
  };
  if (lookups === 0 && !isSpent) return total;
  const hour = currentHour(pitr.lookups, now) ?? { since: iso(now), reads: 0 };
  const spent = isSpent && { spentAt: hour.spentAt ?? iso(now) };
  return { ...total, lookups: { ...hour, reads: hour.reads + lookups, ...spent } };
};
