/** Whom a worker listens to all the time, and how long a turn is. */

import type { CycleContext } from '../model/cycle-context.ts';
import { microsOf } from '../model/micro-time.ts';

/**
 * The service takes 100 streams on a connection, and what is looked up needs some: of more groups than half of them have, those left
 * over would wait for others to end, which never do.
 */
const groupsMax = 5_000;
/** Who listens all the time stores more often than every half hour: what is heard, and not stored, is heard in vain if it dies. */
const turnMaxSeconds = 240;

type Listened = Pick<CycleContext, 'pitr' | 'positions'>;

/** Whether the source is listened to all the time; else once for each turn, and `sampled` says so. */
export const isContinuous = ({ pitr, positions }: Listened): boolean =>
  pitr.status === 'active' && pitr.precision === 'second' && positions.length <= groupsMax;

/** Of who listens all the time, or could if there were a worker, less than one has. */
export const cycleSeconds = (cycle: Listened): number =>
  isContinuous(cycle) ? Math.min(cycle.pitr.captureIntervalSeconds, turnMaxSeconds) : cycle.pitr.captureIntervalSeconds;

/** A turn keeps the names of all that changed, about 1.4 KB each at its peak: a third of what its worker has. */
const changesWanted = 100_000;

/** After a turn with more than that the next one comes the sooner, the more there were in that time. */
export const shortenedCycleSeconds = (
  { pitr }: Listened,
  { to, changes }: { readonly to: number; readonly changes: number },
): number =>
  changes <= changesWanted
    ? Number.POSITIVE_INFINITY
    : Math.max(1, (((to - microsOf(pitr.capturedTo ?? '')) / 1_000_000) * changesWanted) / changes);
