import { invalid } from '../contract/errors.ts';
import { nextRunAfter } from './cron/next-run.ts';
import type { RecurringRecord } from './record.ts';

type Timing = Pick<RecurringRecord, 'cron' | 'timezone' | 'enabled'>;

/** Null while the record is paused. */
export const nextRunAtOf = ({ cron, timezone, enabled }: Timing, now: Date): string | null => {
  if (!enabled) return null;
  const next = nextRunAfter({ cron, timezone }, now);
  if (next === null) throw invalid('cron', 'is never due');
  return next;
};

const timing = ['cron', 'timezone', 'enabled'] as const;

/** A change of timing computes the next run from now; otherwise a due run stays due. */
export const retimed = (record: Timing, changes: Partial<Timing>, now: Date) =>
  timing.some((name) => name in changes) ? { nextRunAt: nextRunAtOf({ ...record, ...changes }, now), putOff: undefined } : {};
