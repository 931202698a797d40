import type { Patience } from '../../job/index.ts';
import type { RestoreRecord } from './record.ts';

const outageSeconds = 30 * 60;

/** The restore fails if the target accepts no writes for this long. */
export const stalledSecondsMax = 6 * 3_600;

/** A restore has no timeout, but ends after this long without an answer. It can be resumed. Writers wait longer than readers. */
export const restorePatience = ({ phase }: Pick<RestoreRecord, 'phase'>): Patience => ({
  storage: outageSeconds,
  database: phase === 'Restoring' ? stalledSecondsMax : outageSeconds,
  quota: stalledSecondsMax,
  deadline: null,
});
