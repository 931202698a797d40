/** Handles a due schedule: starts a backup, postpones it while capacity or project is busy, or records that none was made. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { readBackupCapacity } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { idsIn } from '../../contract/ids.ts';
import { whileActive } from '../../organization/index.ts';
import { addLogContext, type Clock, clock, commit, emitMetric, iso, log, type Tenant } from '../../platform/index.ts';
import { type ActiveContext, type DueRuns, putOffOf, type Tick, tickRecurring, waitingSince } from '../../recurring/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import { scheduleKind, scheduleWrites } from '../model/schedule-kind.ts';
import { readWaitingLine } from '../model/waiting-runs.ts';
import { syncSchedule } from '../sync/sync-schedule.ts';
import { failingWith, failureEvent, type ScheduleFailure } from './failure-event.ts';
import { countDueRuns, logOverdue } from './overdue.ts';
import { postponeTick } from './postpone-tick.ts';
import { startScheduledBackup } from './start-scheduled-backup.ts';

interface TickDeps {
  readonly clock: Clock;
  readonly postpone: typeof postponeTick;
  /** Called for a schedule that turns out to be inactive. */
  readonly sync: (tenant: Tenant, scheduleId: string) => Promise<void>;
}

/** Starts exactly one backup per due time. Missed runs are reported in the transaction that skips them. */
export const tick = (
  tenant: Tenant,
  { scheduleId, at, tries }: Tick & { readonly scheduleId: string },
  { clock: time, postpone, sync }: TickDeps = { clock, postpone: postponeTick, sync: syncSchedule },
): Promise<void> =>
  tickRecurring(
    scheduleKind,
    { tenant, id: scheduleId, at, tries },
    {
      clock: time,
      sync,
      run: (context, due, now) => run(activeSchedule(context), { due, postpone, now }),
      skip: (context, missed, now) =>
        skipRuns(activeSchedule(context), { missed, failure: missedFailure(context.record, missed), now }),
    },
  );

const activeSchedule = ({ record: schedule, project, ...context }: ActiveContext<ScheduleRecord>): ActiveScheduleContext => {
  if (!project) throw new Error(`schedule ${schedule.id} is active without its project`);
  return { ...context, schedule, project };
};

type Run = Parameters<DueRuns<ScheduleRecord>['run']>[1];
type Missed = Parameters<DueRuns<ScheduleRecord>['skip']>[1];

const run = async (
  context: ActiveScheduleContext,
  { due: { at, next, tries }, postpone, now }: { readonly due: Run; readonly postpone: typeof postponeTick; readonly now: Date },
): Promise<void> => {
  const { tenant, organization, project, schedule } = context;
  const fail = (code: ScheduleFailure['error']['code'], message: string): Promise<void> => {
    const failure: ScheduleFailure = { reason: 'failed', scheduledFor: iso(at), error: { code, message } };
    return skipRuns(context, { missed: { first: at, last: at, runs: 1, next }, failure, now });
  };
  if (project.status === 'unauthorized')
    return fail('SOURCE_AUTH_ERROR', 'The source project denies access; reconnect the project');
  const { free, max, claim } = await readBackupCapacity(tenant, organization);
  // First due, first served: what became free belongs to those that have waited longer.
  if (free === 0 || free <= (await readWaitingLine(tenant))(schedule)) {
    const message = `The organization runs ${max} backups, as many as it may at once (concurrentBackups)`;
    return postpone(context, { at, tries }, { message, isCapacity: true, now });
  }
  const advanced = advancedTo(at, next);
  const counted = await countDueRuns({ ...context, schedule: { ...schedule, ...advanced } }, { runs: 1, at: iso(at), now });
  try {
    const { backup, writes } = await startScheduledBackup(
      context,
      {
        trigger: 'scheduled',
        createdBy: { type: 'system', id: schedule.id },
        changes: { ...advanced, ...counted.attributes },
        claim,
      },
      now,
    );
    const details = { projectId: project.id, type: backup.type, scheduleId: schedule.id, scheduledFor: iso(at) };
    await commit([
      ...writes,
      ...counted.writes,
      systemAudit('scheduler', {
        action: 'backup.created',
        note: auditNote(tenant, { type: 'backup', id: backup.id, details }),
        now,
      }),
    ]);
    addLogContext(idsIn(backup));
    emitMetric('scheduled backup started', { ScheduledBackupsStarted: 1 });
    if (counted.isOverdue) logOverdue(context);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'JOB_IN_PROGRESS')
      return postpone(context, { at, tries }, { message: error.message, isCapacity: false, now });
    if (error.code !== 'STORAGE_NOT_FOUND' && error.code !== 'VALIDATION_ERROR') throw error;
    await fail('STORAGE_UPLOAD_ERROR', 'There is no storage destination to back up to: it was deleted, or no default is set');
  }
};

/** `putOff` belongs to the due time that is over. */
const advancedTo = (at: Date, next: Date | undefined) => ({
  lastTick: iso(at),
  nextRunAt: next ? iso(next) : null,
  putOff: undefined,
});

/** Skips runs and reports the failure. The schedule continues with the next due time. */
const skipRuns = async (
  context: ActiveScheduleContext,
  {
    missed: { last, runs, next },
    failure,
    now,
  }: { readonly missed: Omit<Missed, 'kind'>; readonly failure: ScheduleFailure; readonly now: Date },
): Promise<void> => {
  const { tenant, schedule } = context;
  const changes = {
    ...advancedTo(last, next),
    lastRunAt: iso(last),
    lastEndAt: iso(now),
    failing: failingWith(schedule, failure, now),
    lastOutcome: outcomeOf(failure, now),
  };
  const failed: ActiveScheduleContext = { ...context, schedule: { ...schedule, ...changes } };
  const counted = await countDueRuns(failed, { runs, at: iso(last), now });
  await commit([
    ...scheduleWrites.set(tenant, schedule, { ...changes, ...counted.attributes }),
    whileActive(tenant),
    await failureEvent(failed, failure, now),
    ...counted.writes,
  ]);
  const { scheduledFor: at, error } = failure;
  log.warn('scheduled run skipped without a backup', { scheduleId: schedule.id, at, code: error.code, runs });
  emitMetric('scheduled backups missed', { ScheduledBackupsMissed: runs });
  if (counted.isOverdue) logOverdue(failed);
};

/** No backup was started. */
const outcomeOf = (
  { reason, error: { code, message } }: ScheduleFailure,
  now: Date,
): NonNullable<ScheduleRecord['lastOutcome']> => ({
  status: reason === 'missed' ? 'missed' : 'failed',
  at: iso(now),
  backupId: null,
  error: { code, message },
});

/** A postponed run waited for capacity, or failed because the project stayed busy; any other was not delivered in time. */
const missedFailure = (schedule: ScheduleRecord, { first, runs }: Missed): ScheduleFailure => {
  const putOff = putOffOf(schedule);
  const details = runs > 1 ? { details: { runs } } : {};
  const since = waitingSince(schedule);
  if (putOff && since !== undefined) {
    const message = `It waited for capacity since ${since}, until the next due time. ${putOff.message}`;
    return { reason: 'missed', scheduledFor: iso(first), error: { code: 'SCHEDULE_MISSED', message, ...details } };
  }
  if (putOff) {
    const { waitingSince: from, grantedAt: to } = putOff;
    const waited = from !== undefined && to !== undefined ? `. Before, it waited for capacity from ${from} to ${to}` : '';
    const message = `${putOff.message}; the job did not end in time${waited}`;
    return { reason: 'failed', scheduledFor: iso(first), error: { code: 'JOB_IN_PROGRESS', message, ...details } };
  }
  const message = 'No backup was started within an hour of its due time; the next one starts when it is due';
  return { reason: 'missed', scheduledFor: iso(first), error: { code: 'SCHEDULE_MISSED', message, ...details } };
};
