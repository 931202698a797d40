/** No backup of a schedule has succeeded for two periods: told once, until one does. */
import { logLines } from '../../contract/runtime/alarm-log-lines.ts';
import { log, type Write } from '../../platform/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import { type Failure, failingWith, tellFailure } from './failure-event.ts';

/** Of two runs nothing came, and the time of the one after them is there: two periods. */
const runsMax = 2;

export interface Counted {
  /** What the schedule says of it from now on. */
  readonly attributes: Partial<ScheduleRecord>;
  readonly writes: readonly Write[];
  readonly isTold: boolean;
}

/** Counts runs that are decided now, the last of them at that moment; a backup that completes begins the count anew. */
export const countRuns = (place: ActiveScheduleContext, runs: number, at: string, now: Date): Counted => {
  const { schedule } = place;
  const runsSinceSuccess = (schedule.runsSinceSuccess ?? 0) + runs;
  if (runsSinceSuccess <= runsMax || schedule.isOverdue) return { attributes: { runsSinceSuccess }, writes: [], isTold: false };
  const since = schedule.lastSuccessAt === null ? 'ever' : `since ${schedule.lastSuccessAt}`;
  const last = schedule.failing ? `; the last problem: ${schedule.failing.message}` : '';
  const failure: Failure = {
    reason: 'overdue',
    scheduledFor: at,
    error: {
      code: 'SCHEDULE_OVERDUE',
      message: `No backup of this schedule has succeeded ${since}, for two periods or more${last}`,
    },
  };
  const attributes = { runsSinceSuccess, isOverdue: true, failing: failingWith(schedule, failure, now) };
  const after = { ...place, schedule: { ...schedule, ...attributes } };
  return { attributes, writes: [tellFailure(after, failure, now)], isTold: true };
};

/** Once it is committed: an alarm counts the line. */
export const logOverdue = ({ tenant, schedule }: ActiveScheduleContext): void =>
  log.error(logLines.scheduleOverdue, {
    organizationId: tenant.organizationId,
    projectId: schedule.projectId,
    scheduleId: schedule.id,
    lastSuccessAt: schedule.lastSuccessAt,
  });
