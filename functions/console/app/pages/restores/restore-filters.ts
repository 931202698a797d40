/** Filters of the history, kept in the address. Days are those of the person's time zone. */
import type { Restore } from '../../data/restores.ts';
import { endOfDay, isDay, startOfDay } from '../../format/day-range.ts';

export interface Filters {
  readonly projectId?: string | undefined;
  readonly backupId?: string | undefined;
  readonly status?: Restore['status'] | undefined;
  /** Days: 2026-11-16. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const statuses: readonly unknown[] = ['pending', 'running', 'completed', 'failed', 'cancelled'] satisfies Restore['status'][];

export const readFilters = ({ projectId, backupId, status, from, to }: Readonly<Record<string, unknown>>): Filters => {
  const text = (value: unknown, pattern: RegExp): string | undefined =>
    typeof value === 'string' && pattern.test(value) ? value : undefined;
  return {
    projectId: text(projectId, /^\w+$/),
    backupId: text(backupId, /^\w+$/),
    status: statuses.includes(status) ? (status as Restore['status']) : undefined,
    from: isDay(from) ? from : undefined,
    to: isDay(to) ? to : undefined,
  };
};

/** As the service takes them. */
export const queryOf = ({ from, to, ...filters }: Filters) => ({
  ...filters,
  ...(from !== undefined && { from: startOfDay(from) }),
  ...(to !== undefined && { to: endOfDay(to) }),
});
