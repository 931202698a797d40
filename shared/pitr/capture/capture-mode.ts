/** Which projects are captured continuously, and how long a cycle is. */
import type { CycleContext } from '../model/cycle-context.ts';
import { microsOf } from '../model/micro-time.ts';

/**
 * Firestore allows 100 streams per connection, and look-ups need some. With more groups than half of them hold, further streams
 * would wait for others to end, which they never do.
 */
const groupsMax = 5_000;
/** The longest cycle of continuous capture: changes that are not stored are lost if the worker crashes. */
const cycleMaxSeconds = 240;

type Listened = Pick<CycleContext, 'pitr' | 'positions'>;

/** Whether the streams stay open all the time; otherwise they open once per cycle. */
export const isContinuous = (cycle: Listened): boolean => cycle.pitr.status === 'active' && isEverySecondWanted(cycle);

/** Otherwise only the end of each cycle is known. */
export const isEverySecondWanted = ({ pitr, positions }: Listened): boolean =>
  pitr.precision === 'second' && positions.length <= groupsMax;

/** The length of a cycle; in continuous mode it is shorter than the timeout of a worker. */
export const cycleSeconds = (cycle: Listened): number =>
  isContinuous(cycle) ? Math.min(cycle.pitr.captureIntervalSeconds, cycleMaxSeconds) : cycle.pitr.captureIntervalSeconds;

/** A cycle holds the names of all changes, about 1.4 KB each at its peak: this many take a third of the worker's memory. */
const changesWanted = 100_000;

/** After a cycle with more changes the next one is shortened proportionally. */
export const shortenedCycleSeconds = (
  { pitr }: Listened,
  { to, changes }: { readonly to: number; readonly changes: number },
): number =>
  changes <= changesWanted
    ? Number.POSITIVE_INFINITY
    : Math.max(1, (((to - microsOf(pitr.capturedTo ?? '')) / 1_000_000) * changesWanted) / changes);
