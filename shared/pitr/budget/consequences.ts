import type { Allowance } from './allowance.ts';
import type { Forecast } from './forecast-reads.ts';

const hoursPerDay = 24;
const formatted = (number: number): string => number.toLocaleString('en-US', { maximumFractionDigits: 0 });

/** What the shares of the audit and of counts mean for what is proven, in sentences. */
export const consequencesOf = (
  { allowance, reads }: Forecast,
  { auditDays, checkReads }: { readonly auditDays: number; readonly checkReads: number },
): readonly string[] => [
  ...(allowance.isExceeded
    ? [
        `What cannot be put off (changes, their look-ups, listing, backups) needs ${formatted(fixedOf(reads))} reads a day, more than the budget of ${formatted(allowance.budget)}: it is read all the same, because what is not captured is lost`,
      ]
    : []),
  auditWords(allowance, auditDays),
  countWords(allowance, checkReads),
];

const fixedOf = ({ changes, lookups, listing, proofs, bases, backups }: Forecast['reads']): number =>
  changes + lookups + listing + proofs + bases + backups;

const auditWords = (allowance: Allowance, wanted: number): string => {
  if (allowance.auditDays === null)
    return 'The audit is paused: nothing is read again, so a document that differs from what was captured is not found until the budget allows it';
  return allowance.auditDays > wanted
    ? `The audit reads everything within ${formatted(allowance.auditDays)} days instead of ${formatted(wanted)}: a document that differs from what was captured may go unnoticed for so long`
    : `The audit reads everything within ${formatted(wanted)} days: a document that differs from what was captured is found within them`;
};

const countWords = ({ counts }: Allowance, checkReads: number): string => {
  const perDay = counts / checkReads;
  if (perDay === 0)
    return 'Counts are made for backups and restores only: a collection that first appears below documents is found then, and the moments before it are proven then';
  if (perDay >= 1_000) return 'Documents are counted at every capture: moments are proven complete as soon as they are captured';
  const hours = hoursPerDay / perDay;
  return `Documents are counted about every ${hours < 1 ? `${formatted(Math.ceil(hours * 60))} minutes` : `${formatted(Math.ceil(hours))} hours`}: a collection that first appears below documents is found within that time, and later moments are not proven complete before the next count`;
};
