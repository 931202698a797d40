/** How long backups are kept, in words. */
import { formatPlural } from '../format/format-number.ts';
import type { Schedule } from './schedules.ts';

type Policy = NonNullable<Schedule['retentionPolicy']>;

const units = ['daily', 'weekly', 'monthly', 'yearly'] as const;

/** '7 daily backups, 4 weekly backups' */
export const policyWords = (policy: Policy): string =>
  units
    .filter((unit) => policy[unit] > 0)
    .map((unit) => formatPlural(policy[unit], `${unit} backup`))
    .join(', ');

export const keptWords = ({ retention, retentionPolicy }: Pick<Schedule, 'retention' | 'retentionPolicy'>): string => {
  if (retentionPolicy) return policyWords(retentionPolicy);
  return retention === null ? 'Without limit' : formatPlural(retention, 'day');
};
