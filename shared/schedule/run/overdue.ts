/** Reports once, until the next success, that no backup of a schedule has succeeded for two periods. */
import { logLines } from '../../contract/runtime/alarm-log-lines.ts';
import { log, type Write } from '../../platform/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import { failingWith, failureEvent, type ScheduleFailure } from './failure-event.ts';

/** Two runs without success, and the next one is due: two periods. */
const runsMax = 2;

interface Counted {
  /** New attributes of the schedule. */
  readonly attributes: Partial<ScheduleRecord>;
  readonly writes: readonly Write[];
  /** It has become overdue: call `logOverdue` after the commit. */
  readonly isOverdue: boolean;
}

/** Counts runs, the last of them due at `at`. A completed backup resets the count. The schedule is as it is after them. */
export const countDueRuns = async (
  context: ActiveScheduleContext,
  { runs, at, now }: { readonly runs: number; readonly at: string; readonly now: Date },
): Promise<Counted> => {
  const { schedule } = context;
  const runsSinceSuccess = (schedule.runsSinceSuccess ?? 0) + runs;
  if (runsSinceSuccess <= runsMax || schedule.isOverdue)
    return { attributes: { runsSinceSuccess }, writes: [], isOverdue: false };
  const since = schedule.lastSuccessAt === null ? 'ever' : `since ${schedule.lastSuccessAt}`;
  const last = schedule.failing ? `; the last problem: ${schedule.failing.message}` : '';
  const failure: ScheduleFailure = {
    reason: 'overdue',
    scheduledFor: at,
    error: {
      code: 'SCHEDULE_OVERDUE',
      message: `No backup of this schedule has succeeded ${since}, for two periods or more${last}`,
    },
  };
  const attributes = { runsSinceSuccess, isOverdue: true, failing: failingWith(schedule, failure, now) };
  const after = { ...context, schedule: { ...schedule, ...attributes } };
  return { attributes, writes: [await failureEvent(after, failure, now)], isOverdue: true };
};

/** An alarm counts this line. */
export const logOverdue = ({ tenant, schedule }: ActiveScheduleContext): void =>
  log.error(logLines.scheduleOverdue, {
    organizationId: tenant.organizationId,
    projectId: schedule.projectId,
    scheduleId: schedule.id,
    lastSuccessAt: schedule.lastSuccessAt,
  });
