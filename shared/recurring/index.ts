/**
 * What schedules and restore tests have in common: cron expressions with time zones, when the next run is due, ticks and missed runs, and
 * the entries of EventBridge Scheduler.
 */
export { nextRunAfter, previousRun } from './cron/next-run.ts';
export { parseCron } from './cron/parse-cron.ts';
export type { Tick } from './decide-tick.ts';
export { nextRunAtOf, retimed } from './next-run-at.ts';
export { isWaiting, putOffOf, waitingSince } from './put-off.ts';
export type { RecurringKind, RecurringRecord } from './record.ts';
export { type ActiveContext, isStaleContext, loadContext, type RecurringContext } from './recurring-context.ts';
export { recurringWrites } from './recurring-writes.ts';
export { removeEntries, type Scheduler, scheduler } from './scheduler-entries.ts';
export { purgeRecurring, syncEntries } from './sync-entries.ts';
export { type DueRuns, tickRecurring } from './tick-recurring.ts';
export { watchDue } from './watch-due.ts';
