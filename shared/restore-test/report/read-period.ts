import { ApiError } from '../../contract/errors.ts';
import type { IdKind } from '../../contract/ids.ts';
import { idBounds, mapConcurrent, query } from '../../platform/index.ts';
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
  const { period, readsMax, what } = range;
  const first = await readSpan<T>(range, period, undefined);
  if (first.next === undefined) return first.items;
  let reads = 1;
  // Spans that are newer than the first read's end are empty.
  const rest = await mapConcurrent(spansOf(period), spansAtOnce, async (span) => {
    const found: T[] = [];
    let after = first.next;
    while (after !== undefined) {
      if (++reads > readsMax) throw tooLong(what);
      const { items, next } = await readSpan<T>(range, span, after);
      for (const item of items) found.push(item);
      after = next;
    }
    return found;
  });
  return [first.items, ...rest].flat();
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
    after,
    ...(only && { only }),
    ...(where && { where }),
  });
};

export const tooLong = (what: string): ApiError =>
  new ApiError('VALIDATION_ERROR', `The period has too many ${what} for one report. Narrow from and to`, {
    field: 'from',
    reason: `the period has too many ${what} for one report`,
  });
