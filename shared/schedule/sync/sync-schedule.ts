/** Makes the Scheduler's entries match the schedule. */
import { organizationKey, whileActive } from '../../organization/index.ts';
import {
  absentOr,
  type Clock,
  clock,
  commit,
  present,
  retryOnConflict,
  StaleReadError,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { whileConnected } from '../../project/index.ts';
import { nextRunAfter } from '../cron/next-run.ts';
import { dueScheduleWrites } from '../model/due-writes.ts';
import { isActive, isStaleContext, loadScheduleContext, type ScheduleContext } from '../model/schedule-context.ts';
import { setSchedule } from '../model/schedule-writes.ts';
import { entriesFor, entryNames, type Scheduler, scheduler } from './scheduler-entries.ts';

/**
 * Entries exist exactly while the schedule is active. The result is committed only if nothing has changed since it was read, else
 * the sync starts again: of two concurrent runs, the one that ends last has seen the current state. A change that exhausts the
 * attempts has enqueued a sync of its own.
 */
export const syncSchedule = (
  tenant: Tenant,
  scheduleId: string,
  time: Clock = clock,
  entries: Scheduler = scheduler,
): Promise<void> =>
  retryOnConflict({ attempts: 5, isRetryable: isStaleContext }, async () => {
    const context = await loadScheduleContext(tenant, scheduleId);
    const task = { kind: 'run-schedule', scheduleId } as const;
    const wanted = context && isActive(context) ? entriesFor(tenant, context.schedule, task, time.now()) : [];
    for (const entry of wanted) await entries.put(entry);
    for (const name of entryNames(tenant, scheduleId).slice(wanted.length)) await entries.remove(name);
    if (context) return commit(syncedWrites(context, time.now()));
    // A schedule can come back with its project from another organization.
    if (await loadScheduleContext(tenant, scheduleId)) throw new StaleReadError();
  });

/** An inactive schedule has no next run. One that has become active runs next after now. */
const syncedWrites = (context: ScheduleContext, now: Date): readonly Write[] => {
  const { tenant, schedule } = context;
  const active = isActive(context);
  const next = active ? (schedule.nextRunAt ?? nextRunAfter(schedule, now)) : null;
  return [
    setSchedule(schedule, { enteredRevision: schedule.revision, nextRunAt: next, ...(!active && { putOff: undefined }) }),
    ...dueScheduleWrites(tenant, schedule, { ...schedule, nextRunAt: next }),
    ...(active ? [whileActive(tenant), whileConnected(tenant, schedule.projectId)] : checkInactive(context)),
  ];
};

/** Activating a schedule changes either the organization, which is checked here, or its revision. */
const checkInactive = ({ tenant, organization }: ScheduleContext): readonly Write[] =>
  organization?.deletedAt === undefined
    ? []
    : [
        {
          check: organizationKey.organization(tenant),
          ...absentOr({ deletedAt: present }),
          onConditionFailed: () => new StaleReadError(),
        },
      ];
