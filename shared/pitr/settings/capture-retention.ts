/** For how long captures are kept: a change that keeps less takes nothing for a week, so that it can be taken back. */
import { after, iso } from '../../platform/index.ts';
import type { PitrRecord } from '../model/record.ts';

/** It needs no more rights than to change a setting, and what it has removed is gone. */
const regretSeconds = 7 * 24 * 3_600;

type Keeping = Pick<PitrRecord, 'retentionDays' | 'keptDays'>;

/** What is older is removed; offered is only what the setting says. */
export const daysKept = ({ retentionDays, keptDays }: Keeping, now: Date): number =>
  keptDays && keptDays.until > iso(now) ? Math.max(retentionDays, keptDays.days) : retentionDays;

/** How the record looks after the setting was changed. */
export const keptAfter = (before: Keeping | undefined, retentionDays: number, now: Date): PitrRecord['keptDays'] => {
  const days = before ? daysKept(before, now) : retentionDays;
  if (days <= retentionDays) return undefined;
  const isLess = before !== undefined && retentionDays < before.retentionDays;
  return isLess || !before?.keptDays ? { days, until: iso(after(now, regretSeconds)) } : before.keptDays;
};
