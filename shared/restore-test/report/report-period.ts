import { spanOf } from '../../audit/index.ts';
import { invalid } from '../../contract/errors.ts';
import { iso } from '../../platform/index.ts';

export interface Period {
  readonly start: Date;
  readonly end: Date;
}

/** A project that was created later has no part in a period: nothing could be backed up or tested yet. */
export const isInPeriod = ({ createdAt }: { readonly createdAt: string }, { end }: Period): boolean => createdAt <= iso(end);

const dayMs = 24 * 3_600 * 1_000;
const defaultDays = 30;
export const reportDaysMax = 366;

/** The last 30 days unless `from` or `to` is given; a bare date of `to` means its whole day, UTC. */
export const reportPeriod = (
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
): Period => {
  const { end } = query.to === undefined ? { end: now } : spanOf({ to: query.to });
  const start = query.from === undefined ? new Date(end.getTime() - defaultDays * dayMs) : new Date(query.from);
  if (start > end) throw invalid('from', query.to === undefined ? 'must not be in the future' : 'must not be after to');
  if (end.getTime() - start.getTime() > reportDaysMax * dayMs)
    throw invalid('from', `must be at most ${reportDaysMax} days before to`, { maxDays: reportDaysMax });
  return { start, end };
};
