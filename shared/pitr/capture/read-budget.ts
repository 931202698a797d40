/** What a turn costs the source, whatever becomes of it; and what may be looked up to know every second. */
import { after, iso } from '../../platform/index.ts';
import type { PitrRecord } from '../model/record.ts';

/** Counted as it is spent, over all tries of a turn: what failed was billed, too. */
export interface ReadBudget {
  reads: number;
  /** Of those, what was looked up to know every second, beside one for each change. */
  lookups: number;
  /** More would have been needed: the seconds between are not known. */
  isSpent: boolean;
}

export const newReadBudget = (): ReadBudget => ({ reads: 0, lookups: 0, isSpent: false });

/** Beside one look-up for each change. Once they are spent nothing is tried for the rest of the hour: it would be thrown away. */
const lookupsPerHour = 10_000;
const hourSeconds = 3_600;

const present = ({ lookups }: Pick<PitrRecord, 'lookups'>, now: Date): PitrRecord['lookups'] =>
  lookups && after(new Date(lookups.since), hourSeconds) > now ? lookups : undefined;

/** Undefined if every second is not to be looked for now. */
export const remainingLookups = (
  pitr: Pick<PitrRecord, 'lookups'>,
  { lookups, isSpent }: ReadBudget,
  now: Date,
): number | undefined => {
  const { reads = 0, spentAt } = present(pitr, now) ?? {};
  return isSpent || spentAt !== undefined ? undefined : Math.max(0, lookupsPerHour - reads - lookups);
};

/** How the record looks after it. */
export const spentFields = (
  pitr: Pick<PitrRecord, 'reads' | 'lookups'>,
  { reads, lookups, isSpent }: ReadBudget,
  now: Date,
): Pick<PitrRecord, 'reads' | 'lookups'> => {
  const before = present(pitr, now) ?? { since: iso(now), reads: 0 };
  return {
    reads: pitr.reads + reads,
    ...(lookups > 0 || isSpent
      ? { lookups: { ...before, reads: before.reads + lookups, ...(isSpent && { spentAt: before.spentAt ?? iso(now) }) } }
      : {}),
  };
};
