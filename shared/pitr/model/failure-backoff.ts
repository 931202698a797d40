/** What keeps a project from being captured: counted, waited out, and told. */
import type { PitrRecord } from './record.ts';

/** Each try may read everything: what was lost, or failed, is tried again after half a minute, then twice as long, up to 6 hours. */
export const baseRetrySeconds = ({ losses = 0, baseFailures }: Pick<PitrRecord, 'losses' | 'baseFailures'>): number =>
  Math.min(30 * 2 ** (losses + baseFailures), 6 * 3_600);

/** A turn that failed is tried again soon: the source remembers an hour. */
export const cycleRetrySeconds = ({ putOffs = 0 }: Pick<PitrRecord, 'putOffs'>): number => Math.min(30 * 2 ** putOffs, 300);

/** What goes wrong once or twice is nothing to be told. */
const toldFrom = 3;

/** Null while changes are captured, or soon will be. */
export const problemOf = ({ status, losses = 0, baseFailures, putOffs = 0, trouble, isTooLarge }: PitrRecord): string | null => {
  if (status === 'disabled' || trouble === undefined) return null;
  return isTooLarge || putOffs >= toldFrom || losses + baseFailures >= toldFrom ? trouble : null;
};

/** After a turn was saved. What was lost counts until one went on from where another had left off. */
export const fieldsAfterCommit = ({ losses, bases, capturedTo, baseFailures }: PitrRecord): Partial<PitrRecord> => {
  const isFirst = capturedTo !== null && bases.at(-1)?.readTime === capturedTo;
  return {
    losses: isFirst ? losses : undefined,
    baseFailures: isFirst ? 0 : baseFailures,
    putOffs: undefined,
    trouble: undefined,
  };
};
