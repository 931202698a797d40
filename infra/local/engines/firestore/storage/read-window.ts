import { type Micros, RpcError } from '../base/types.ts';
import { day, hour, minute } from '../value/timestamps.ts';

/** The readable past of a database: one hour at microsecond precision; with point-in-time recovery seven days by minute. */
export interface Window {
  /** Any time from here on can be read. */
  readonly fine: Micros;
  /** Whole minutes from here on can be read; equals `fine` without point-in-time recovery. */
  readonly coarse: Micros;
}

/** The window at `now`, for point-in-time recovery enabled at `since` or disabled. */
export const windowAt = (now: Micros, since: Micros | undefined): Window => {
  const fine = now - hour;
  // Versions collected before recovery was enabled are gone.
  return { fine, coarse: since === undefined ? fine : Math.min(fine, Math.max(now - 7 * day, since - hour)) };
};

/** Extends a window a little, so that reads begun at its edge can finish. */
export const withSlack = ({ fine, coarse }: Window): Window => ({ fine: fine - slack, coarse: coarse - slack });

export const isReadable = (at: Micros, { fine, coarse }: Window): boolean => at >= fine || (at >= coarse && at % minute === 0);

/** Whether any read within the window sees a version that was the newest from `from` until `until`. */
export const isWanted = (from: Micros, until: Micros, { fine, coarse }: Window): boolean => {
  if (until > fine) return true;
  const firstMinute = Math.ceil(Math.max(from, coarse) / minute) * minute;
  return firstMinute < until;
};

/** Throws for a time outside the window. */
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

/** The nominal creation time of every database, so that a time can be too old without preceding the creation. */
const birth: Micros = Date.UTC(2025, 0, 1) * 1000;
