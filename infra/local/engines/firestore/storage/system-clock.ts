import { performance } from 'node:perf_hooks';
import type { Micros } from '../base/types.ts';

/** A clock with microseconds: `Date` has the millisecond, also after the system clock was set, and the timer the time within it. */
export const makeSystemClock = (
  millis: () => number = Date.now,
  timer: () => number = () => performance.now(),
): (() => Micros) => {
  /** The time at which the timer was 0. */
  let origin = 0;
  return () => {
    const first = millis() * 1000;
    const elapsed = Math.floor(timer() * 1000);
    const beyond = origin + elapsed - first;
    // Small differences are the drift of one clock against the other, large ones a clock that was set.
    if (Math.abs(beyond) > 2000) origin = first + (elapsed % 1000) - elapsed;
    else if (beyond < 0) origin = first - elapsed;
    else if (beyond > 999) origin = first + 999 - elapsed;
    return origin + elapsed;
  };
};

/** One for all databases of the process. */
export const systemClock = makeSystemClock();
