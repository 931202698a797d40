import { ApiError } from '../../contract/errors.ts';
import type { IdKind } from '../../contract/ids.ts';
import { idBounds, iso, mapConcurrent, query, timeOfId } from '../../platform/index.ts';
import type { Period } from './report-period.ts';

interface PeriodRange {
  readonly pk: string;
  readonly prefix: string;
  readonly kind: IdKind;
  readonly period: Period;
  readonly only?: readonly string[];
  readonly where?: Readonly<Record<string, string>>;
  /** Of up to 1 MB each. */
  readonly readsMax: number;
  /** In the plural, for the error. */
  readonly what: string;
}

/** Spans of a long period that are read at the same time. */
const spansAtOnce = 8;

/**
 * All records of a kind that were created in a period, newest first: completely, or not at all. Ids sort by time, so it is a range of keys.
 * What follows the first read is read in spans of the period at the same time.
 */
export const readPeriod = async <T extends object>(range: PeriodRange): Promise<readonly T[]> => {
  const { period } = range;
  const first = await readSpan<T>(range, period, undefined);
  if (first.next === undefined) return first.items;
  let reads = 1;
  const spans = spansOf(period);
  const progress = spans.map(() => 0);
  // Spans that are newer than the first read's end are empty.
  const rest = await mapConcurrent([...spans.entries()], spansAtOnce, async ([index, span]) => {
    const found: T[] = [];
    let after = first.next;
    while (after !== undefined) {
      reads += 1;
      refuseIfTooLong(range, reads, progress);
      const { items, next } = await readSpan<T>(range, span, after);
      for (const item of items) found.push(item);
      after = next;
      progress[index] = progressOf(span, after);
    }
    return found;
  });
  return [first.items, ...rest].flat();
};

/** The part of a span that was read, newest first, up to a key. */
const progressOf = ({ start, end }: Period, after: string | undefined): number => {
  if (after === undefined) return 1;
  const lengthMs = Math.max(1, end.getTime() - start.getTime());
  return Math.min(1, Math.max(0, (end.getTime() - timeOfId(after)) / lengthMs));
};

/** What is read in vain costs a part of the limit: the rest is foreseen from what the first quarter has found. */
const foreseenFrom = 0.25;
/** Foreseen reads are less certain than made ones. */
const certainty = 1.5;

const refuseIfTooLong = ({ period, readsMax, what }: PeriodRange, reads: number, progress: readonly number[]): void => {
  const done = progress.reduce((sum, part) => sum + part, 0) / progress.length;
  const foreseen = reads / Math.max(done, 0.001);
  if (reads > readsMax || (reads > readsMax * foreseenFrom && foreseen > readsMax * certainty))
    throw tooLong(what, period, readsMax / foreseen);
};

/** Newest first, without a millisecond in common. */
const spansOf = ({ start, end }: Period): readonly Period[] => {
  const lengthMs = Math.ceil((end.getTime() - start.getTime() + 1) / spansAtOnce);
  return Array.from({ length: spansAtOnce }, (_, n) => {
    const until = end.getTime() - n * lengthMs;
    return { start: new Date(Math.max(start.getTime(), until - lengthMs + 1)), end: new Date(until) };
  }).filter((span) => span.start <= span.end);
};

const readSpan = <T extends object>(
  { pk, prefix, kind, only, where }: PeriodRange,
  { start, end }: Period,
  after: string | undefined,
): Promise<{ readonly items: readonly T[]; readonly next: string | undefined }> => {
  const { first, last } = idBounds(kind, start, end);
  return query<T>({
    pk,
    prefix,
    from: `${prefix}${first}`,
    to: `${prefix}${last}`,
    newestFirst: true,
    isEventual: true,
    after,
    ...(only && { only }),
    ...(where && { where }),
  });
};

const dayMs = 24 * 3_600 * 1_000;
/** Records are not spread evenly. */
const margin = 0.8;

/** `fitting`: the part of the period of which a report is possible. The refusal says how many days to ask for at once. */
export const tooLong = (what: string, { start, end }: Period, fitting: number): ApiError => {
  const tooMany = (span: string): string => `${span} has too many ${what} for one report`;
  const days = (end.getTime() - start.getTime()) / dayMs;
  const maxDays = Math.max(1, Math.floor(days * Math.min(fitting, 1) * margin));
  const isOffered = maxDays < days;
  const advice = `ask for at most ${maxDays} ${maxDays === 1 ? 'day' : 'days'} at a time`;
  const reason = isOffered ? `${tooMany('the period')}; ${advice}` : tooMany('a day');
  return new ApiError('VALIDATION_ERROR', `from: ${reason}`, {
    field: 'from',
    reason,
    ...(isOffered && { maxDays, from: iso(start), to: iso(end) }),
  });
};
