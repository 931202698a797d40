/** What a schedule does when it is due: starts a backup, waits for its project, or says that none was made. */
import { auditEntry } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { idsIn } from '../../contract/ids.ts';
import { whileActive } from '../../organization/index.ts';
import {
  addLogContext,
  type Clock,
  clock,
  commit,
  emitMetric,
  iso,
  log,
  StaleReadError,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { dueWrites } from '../model/due-index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import { type ActiveScheduleContext, isActive, readAround } from '../model/schedule-context.ts';
import { isOvertaken, syncSchedule } from '../sync/sync-schedule.ts';
import { decideTick, type Told, type Verdict } from './decide-tick.ts';
import { type Failure, failingWith, tellFailure } from './failure-event.ts';
import { countRuns, logOverdue } from './overdue.ts';
import { postponeTick } from './postpone-tick.ts';
import { startScheduled } from './start-scheduled-backup.ts';

/** What a tick asks others for. */
export interface TickDoors {
  readonly clock: Clock;
  /** Brings the tick again later. */
  readonly putOff: typeof postponeTick;
  /** For a schedule that turns out to be asleep. */
  readonly sync: (tenant: Tenant, scheduleId: string) => Promise<void>;
}

const triesMax = 8;

/**
 * One backup for every moment, whoever tells of it, however often and how many at once: the transaction that starts it moves
 * `nextRunAt` on from where it was read. What no backup is made for any more is told of, in the transaction that gives it up.
 */
export const tick = async (
  tenant: Tenant,
  scheduleId: string,
  told: Told,
  doors: TickDoors = { clock, putOff: postponeTick, sync: syncSchedule },
): Promise<void> => {
  for (let tries = 1; tries <= triesMax; tries++) {
    const around = await readAround(tenant, scheduleId);
    if (!around) return;
    if (!isActive(around) || around.schedule.nextRunAt === null) return doors.sync(tenant, scheduleId);
    const now = doors.clock.now();
    const verdict = decideTick(around.schedule, told, now);
    if (verdict.kind === 'nothing') return;
    try {
      if (verdict.kind === 'passed') await giveUp(around, verdict, passedBecause(around.schedule, verdict), now);
      else if (await run(around, verdict, told, doors)) return;
    } catch (error) {
      // Another was first, or something changed: the next look tells.
      if (!isOvertaken(error)) throw error;
    }
  }
  throw new Error('others keep changing the schedule');
};

type Run = Extract<Verdict, { kind: 'run' }>;
type Passed = Extract<Verdict, { kind: 'passed' }>;

/** Whether the moment is dealt with, for now. */
const run = async (place: ActiveScheduleContext, verdict: Run, told: Told, doors: TickDoors): Promise<boolean> => {
  const now = doors.clock.now();
  const { tenant, project, schedule } = place;
  const { at, next } = verdict;
  const alone = { first: at, last: at, runs: 1, next };
  if (project.status === 'unauthorized') {
    await giveUp(
      place,
      alone,
      failedBecause(at, 'SOURCE_AUTH_ERROR', 'The source project does not let us in; reconnect the project'),
      now,
    );
    return true;
  }
  const counted = countRuns(place, 1, iso(at), now);
  const moves = { ...movedTo(at, next), ...counted.attributes };
  try {
    const createdBy = { type: 'system', id: schedule.id };
    const { backup, writes } = await startScheduled(place, { trigger: 'scheduled', createdBy, moves }, now);
    const details = { projectId: project.id, type: backup.type, scheduleId: schedule.id, scheduledFor: iso(at) };
    await commit([
      ...writes,
      ...dueWrites(tenant, schedule, { ...schedule, ...movedTo(at, next) }),
      ...counted.writes,
      auditEntry(
        'backup.created',
        { scope: tenant.organizationId, resource: { type: 'backup', id: backup.id }, details },
        { type: 'system', id: 'scheduler', email: null },
        { ip: null, userAgent: null, requestId: backup.id },
        now,
      ),
    ]);
    addLogContext(idsIn(backup));
    emitMetric('a schedule has started a backup', { ScheduledBackupsStarted: 1 });
    if (counted.isTold) logOverdue(place);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'JOB_IN_PROGRESS') await doors.putOff(place, { at, tries: told.tries }, error.message, now);
    else if (error.code === 'STORAGE_NOT_FOUND' || error.code === 'VALIDATION_ERROR')
      await giveUp(place, alone, failedBecause(at, 'STORAGE_UPLOAD_ERROR', noDestination), now);
    else throw error;
  }
  return true;
};

const noDestination = 'There is no storage destination to back up to: the one that was chosen is gone';

/** `putOff` goes with the moment it was of. */
const movedTo = (at: Date, next: Date | undefined) => ({
  lastTick: iso(at),
  nextRunAt: next ? iso(next) : null,
  putOff: undefined,
});

/** Gives moments up, and says so; the schedule goes on with the next. */
const giveUp = async (
  place: ActiveScheduleContext,
  { last, runs, next }: Omit<Passed, 'kind'>,
  failure: Failure,
  now: Date,
): Promise<void> => {
  const { tenant, schedule } = place;
  const failing = failingWith(schedule, failure, now);
  const moved = { ...movedTo(last, next), lastRunAt: iso(last), lastEndAt: iso(now), failing };
  const failed: ActiveScheduleContext = { ...place, schedule: { ...schedule, ...moved } };
  const counted = countRuns(failed, runs, iso(last), now);
  const writes: readonly Write[] = [
    set(
      { pk: schedule.pk, sk: schedule.sk },
      { ...moved, ...counted.attributes },
      { expected: { revision: schedule.revision, nextRunAt: schedule.nextRunAt }, onConditionFailed: () => new StaleReadError() },
    ),
    ...dueWrites(tenant, schedule, failed.schedule),
    whileActive(tenant),
    tellFailure(failed, failure, now),
    ...counted.writes,
  ];
  await commit(writes);
  log.warn('a schedule has made no backup', {
    scheduleId: schedule.id,
    at: failure.scheduledFor,
    code: failure.error.code,
    runs,
  });
  emitMetric('a schedule was not served', { ScheduledBackupsMissed: runs });
  if (counted.isTold) logOverdue(failed);
};

const failedBecause = (at: Date, code: Failure['error']['code'], message: string): Failure => ({
  reason: 'failed',
  scheduledFor: iso(at),
  error: { code, message },
});

/** A moment that waited for its project's job failed by it; any other was not told of in time. */
const passedBecause = ({ nextRunAt, putOff }: ScheduleRecord, { first, runs }: Passed): Failure => {
  const details = runs > 1 ? { details: { runs } } : {};
  if (putOff && putOff.at === nextRunAt)
    return {
      reason: 'failed',
      scheduledFor: iso(first),
      error: { code: 'JOB_IN_PROGRESS', message: `${putOff.message}; it was waited for until it was too late`, ...details },
    };
  const message = 'No backup was started at its time, and now it is too late for it; the next one is made when it is due';
  return { reason: 'missed', scheduledFor: iso(first), error: { code: 'SCHEDULE_MISSED', message, ...details } };
};
