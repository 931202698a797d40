/** Filters of a history of jobs, kept in the address. Days are those of the person's time zone. */
import { endOfDay, isDay, startOfDay } from '../../format/day-range.ts';

export const jobStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export interface JobFilters {
  readonly projectId?: string | undefined;
  readonly backupId?: string | undefined;
  readonly status?: JobStatus | undefined;
  /** Days: 2026-11-16. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const readJobFilters = ({ projectId, backupId, status, from, to }: Readonly<Record<string, unknown>>): JobFilters => {
  const text = (value: unknown, pattern: RegExp): string | undefined =>
    typeof value === 'string' && pattern.test(value) ? value : undefined;
  return {
    projectId: text(projectId, /^\w+$/),
    backupId: text(backupId, /^\w+$/),
    status: jobStatuses.find((one) => one === status),
    from: isDay(from) ? from : undefined,
    to: isDay(to) ? to : undefined,
  };
};

/** As the service takes them. */
export const jobQueryOf = ({ from, to, ...filters }: JobFilters) => ({
  ...filters,
  ...(from !== undefined && { from: startOfDay(from) }),
  ...(to !== undefined && { to: endOfDay(to) }),
});
