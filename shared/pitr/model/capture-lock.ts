import { after } from '../../platform/index.ts';

/** Locks end so many days after the window they serve: one for restores that have just started, two for tasks that come late. */
export const lockMarginDays = 3;

/** The end of the lock of an object that a moment needs, if captures are kept for so many days. */
export const captureLockEnd = (moment: Date, days: number): Date => after(moment, (days + lockMarginDays) * 24 * 3_600);
