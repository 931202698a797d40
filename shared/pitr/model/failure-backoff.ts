/** Back-off of failed cycles and base backups, and when a failure is shown to the customer. */
import type { PitrRecord } from './record.ts';

/** Each attempt may read the whole database: 30 s after the first failure, then twice as long each time, up to 6 hours. */
export const baseRetrySeconds = ({ losses = 0, baseFailures }: Pick<PitrRecord, 'losses' | 'baseFailures'>): number =>
  Math.min(30 * 2 ** (losses + baseFailures), 6 * 3_600);

/** A failed cycle is retried soon: the source keeps history for one hour only. */
export const cycleRetrySeconds = ({ putOffs = 0 }: Pick<PitrRecord, 'putOffs'>): number => Math.min(30 * 2 ** putOffs, 300);

/** Fewer failures in a row are not shown. */
const shownFrom = 3;

/** Why captures fail, if they do. */
export const troubleOf = ({ losses = 0, baseFailures, putOffs = 0, trouble, isTooLarge }: PitrRecord): string | undefined =>
  isTooLarge || putOffs >= shownFrom || losses + baseFailures >= shownFrom ? trouble : undefined;

/** Resets the counts after a committed cycle. Losses and base failures count until a cycle has continued another. */
export const fieldsAfterCommit = ({ losses, bases, capturedTo, baseFailures }: PitrRecord): Partial<PitrRecord> => {
  const isFirst = capturedTo !== null && bases.at(-1)?.readTime === capturedTo;
  return {
    losses: isFirst ? losses : undefined,
    baseFailures: isFirst ? 0 : baseFailures,
    putOffs: undefined,
    trouble: undefined,
  };
};
