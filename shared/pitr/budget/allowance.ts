/**
 * How the reads of a day are shared. Captured changes and what proves them come first, because what is not captured is lost; then
 * backups and bases; then counts and the audit, which can be made up for. If the budget is short, the audit slows down first, then
 * counts are made less often.
 */
import { auditDaysMax } from '../../contract/limits.ts';

export interface ReadDemand {
  /** What reading every document once is billed. */
  readonly allDocuments: number;
  /** What the changes of a day are billed. */
  readonly changes: number;
  /** Listing, look-ups, proofs, bases and backups of a day: what neither changes nor is put off. */
  readonly fixed: number;
  /** What one count of everything is billed, and how often a day it is made where that is cheap. */
  readonly count: number;
  readonly cyclesPerDay: number;
  /** Within so many days everything is to be read again. */
  readonly auditDays: number;
  /** Undefined: what the formula allows. */
  readonly budget: number | undefined;
}

export interface Allowance {
  readonly budget: number;
  readonly isDefault: boolean;
  /** Reads a day for counts and for the audit. */
  readonly counts: number;
  readonly audit: number;
  /** Within so many days the audit reads everything; null if it is paused. */
  readonly auditDays: number | null;
  /** The audit, or the counts, get less than they want. */
  readonly isShort: boolean;
  /** What cannot be put off is more than the budget. */
  readonly isExceeded: boolean;
}

/** Counts of everything that a day has reads for: in the Standard edition half a percent of all documents. */
export const checksPerDay = 2.5;
/** Look-ups of a day, for each change. */
export const lookupsShare = 0.1;
/** A count that costs no more is made at every capture. */
export const countReadsFree = 20;

export const allowanceOf = (demand: ReadDemand): Allowance => {
  const { allDocuments, changes, fixed, count, cyclesPerDay, auditDays, budget } = demand;
  const counts = Math.ceil(Math.max(count * checksPerDay, count <= countReadsFree ? count * cyclesPerDay : 0));
  const audit = Math.ceil(allDocuments / auditDays);
  const first = Math.ceil(changes + changes * lookupsShare) + fixed;
  if (budget === undefined)
    return {
      ...{ budget: first + counts + audit, isDefault: true, counts, audit, auditDays },
      ...{ isShort: false, isExceeded: false },
    };
  const left = Math.max(0, Math.floor(budget) - first);
  const auditLeft = Math.min(audit, Math.max(0, left - counts));
  const days = auditLeft === 0 ? Number.POSITIVE_INFINITY : Math.ceil(allDocuments / auditLeft);
  const isPaused = allDocuments > 0 && days > auditDaysMax;
  const spent = isPaused ? 0 : auditLeft;
  const countsLeft = Math.min(counts, left - spent);
  return {
    budget: Math.floor(budget),
    isDefault: false,
    counts: countsLeft,
    audit: spent,
    auditDays: isPaused ? null : Math.max(auditDays, Math.min(days, auditDaysMax)),
    isShort: spent < audit || countsLeft < counts,
    isExceeded: first > budget,
  };
};
