/** How long captures are kept. Reducing the retention deletes nothing for a week, so that it can be reverted. */
import { after, iso } from '../../platform/index.ts';
import type { PitrRecord } from '../model/record.ts';

/** Changing a setting needs fewer rights than deleting data, and a deletion is final. */
const revertSeconds = 7 * 24 * 3_600;

type Retention = Pick<PitrRecord, 'retentionDays' | 'keptDays'>;

/** Older captures are deleted. Restores are offered only within `retentionDays`. */
export const daysKept = ({ retentionDays, keptDays }: Retention, now: Date): number =>
  keptDays && keptDays.until > iso(now) ? Math.max(retentionDays, keptDays.days) : retentionDays;

/** `keptDays` after `retentionDays` was changed. */
export const keptAfter = (before: Retention | undefined, retentionDays: number, now: Date): PitrRecord['keptDays'] => {
  const days = before ? daysKept(before, now) : retentionDays;
  if (days <= retentionDays) return undefined;
  const isReduced = before !== undefined && retentionDays < before.retentionDays;
  return isReduced || !before?.keptDays ? { days, until: iso(after(now, revertSeconds)) } : before.keptDays;
};
