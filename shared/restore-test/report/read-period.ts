import { ApiError } from '../../contract/errors.ts';
import type { IdKind } from '../../contract/ids.ts';
import { idBounds, query } from '../../platform/index.ts';
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

/** All records of a kind that were created in a period, newest first: completely, or not at all. Ids sort by time, so it is a range of keys. */
export const readPeriod = async <T extends object>(range: PeriodRange): Promise<readonly T[]> => {
  const { pk, prefix, kind, period, readsMax, what, only, where } = range;
  const { first, last } = idBounds(kind, period.start, period.end);
  const found: T[] = [];
  let after: string | undefined;
  for (let reads = 0; reads < readsMax; reads++) {
    const { items, next } = await query<T>({
      pk,
      prefix,
      from: `${prefix}${first}`,
      to: `${prefix}${last}`,
      newestFirst: true,
      after,
      ...(only && { only }),
      ...(where && { where }),
    });
    found.push(...items);
    if (next === undefined) return found;
    after = next;
  }
  throw tooLong(what);
};

export const tooLong = (what: string): ApiError =>
  new ApiError('VALIDATION_ERROR', `The period has too many ${what} for one report. Narrow from and to`, {
    field: 'from',
    reason: `the period has too many ${what} for one report`,
  });
