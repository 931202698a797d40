import { type Micros, RpcError } from '../base/types.ts';
import { day, hour, minute } from '../value/timestamps.ts';

/** How far back a database can be read: an hour to the microsecond; with point-in-time recovery seven days to the minute. */
export interface Window {
  /** Any time from here on can be read. */
  readonly fine: Micros;
  /** Whole minutes from here on can be read; the same as `fine` without point-in-time recovery. */
  readonly coarse: Micros;
}

/** The window at `now`, of a database whose point-in-time recovery was turned on at `since`, or is off. */
export const windowAt = (now: Micros, since: Micros | undefined): Window => {
  const fine = now - hour;
  // What was thrown away before recovery was turned on does not come back.
  return { fine, coarse: since === undefined ? fine : Math.min(fine, Math.max(now - 7 * day, since - hour)) };
};

/** A window that reaches a little further back, so that reads begun at its edge can end. */
export const withSlack = ({ fine, coarse }: Window): Window => ({ fine: fine - slack, coarse: coarse - slack });

export const isReadable = (at: Micros, { fine, coarse }: Window): boolean => at >= fine || (at >= coarse && at % minute === 0);

/** Whether a version that was the newest from `from` until `until` is seen by any read within the window. */
export const isWanted = (from: Micros, until: Micros, { fine, coarse }: Window): boolean => {
  if (until > fine) return true;
  const firstMinute = Math.ceil(Math.max(from, coarse) / minute) * minute;
  return firstMinute < until;
};

/** Refuses a time outside the window. */
export const checkWithin = (at: Micros, window: Window): void => {
  if (at < birth) throw new RpcError('INVALID_ARGUMENT', "The requested 'read_time' cannot be before database creation time.");
  if (isReadable(at, window)) return;
  if (at >= window.coarse)
    throw new RpcError(
      'INVALID_ARGUMENT',
      "The requested 'read_time' must be a whole minute if it is more than one hour in the past.",
    );
  throw tooOld();
};

export const tooOld = (): RpcError => new RpcError('FAILED_PRECONDITION', 'The requested snapshot version is too old.');

const slack = 5 * minute;

/** Every database passes for one made on this day, so that a time can be too old for it and not yet before it. */
const birth: Micros = Date.UTC(2025, 0, 1) * 1000;
