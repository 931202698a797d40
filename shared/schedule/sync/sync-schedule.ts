/** Makes the Scheduler's entries what the schedule says. */
import { ApiError } from '../../contract/errors.ts';
import { whileActive } from '../../organization/index.ts';
import { type Clock, clock, commit, iso, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { whileConnected } from '../../project/index.ts';
import { nextRun } from '../cron/next-run.ts';
import { dueWrites } from '../model/due-index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import { isActive, readAround, type ScheduleContext } from '../model/schedule-context.ts';
import { type Entries, entries, entriesFor, entryNames } from './scheduler-entries.ts';

/** Whoever changes it this often meanwhile brings a task of their own. */
const triesMax = 5;

/**
 * Entries are there exactly as long as the schedule runs. What was made is written down only if everything is still as it was
 * read; else it is looked at anew: of two that run at once, the one that ends last has seen what is true.
 */
export const syncSchedule = async (
  tenant: Tenant,
  scheduleId: string,
  time: Clock = clock,
  doors: Entries = entries,
): Promise<void> => {
  for (let tries = 1; ; tries++) {
    const around = await readAround(tenant, scheduleId);
    await putSchedulerEntries(tenant, scheduleId, around, time.now(), doors);
    try {
      if (!around) {
        // It may have come back: with its project from another organization.
        if (!(await readAround(tenant, scheduleId))) return;
        throw new StaleReadError();
      }
      await commit(syncedWrites(around, time.now()));
      return;
    } catch (error) {
      if (!isOvertaken(error) || tries === triesMax) throw error;
    }
  }
};

const putSchedulerEntries = async (
  tenant: Tenant,
  scheduleId: string,
  around: ScheduleContext | undefined,
  now: Date,
  doors: Entries,
): Promise<void> => {
  const wanted = around && isActive(around) ? entriesFor(tenant, around.schedule, now) : [];
  for (const entry of wanted) await doors.put(entry);
  for (const name of entryNames(tenant, scheduleId).slice(wanted.length)) await doors.remove(name);
};

/** What is asleep has no next run; what has just woken up has its next one from now on. */
const syncedWrites = (around: ScheduleContext, now: Date): readonly Write[] => {
  const { tenant, schedule } = around;
  const { pk, sk, revision, nextRunAt } = schedule;
  const awake = isActive(around);
  const next = awake ? (nextRunAt ?? wakingAt(schedule, now)) : null;
  return [
    set(
      { pk, sk },
      { enteredRevision: revision, nextRunAt: next, ...(!awake && { putOff: undefined }) },
      { expected: { revision, nextRunAt }, onConditionFailed: () => new StaleReadError() },
    ),
    ...dueWrites(tenant, schedule, { ...schedule, nextRunAt: next }),
    ...(awake ? [whileActive(tenant), whileConnected(tenant, schedule.projectId)] : stillAsleep(around)),
  ];
};

const wakingAt = ({ cron, timezone }: ScheduleRecord, now: Date): string | null => {
  const next = nextRun(cron, timezone, now);
  return next ? iso(next) : null;
};

/** Whoever wakes it changes what is checked here, or its revision. */
const stillAsleep = ({ tenant, organization }: ScheduleContext): readonly Write[] =>
  organization?.deletedAt === undefined
    ? []
    : [
        {
          ...whileActive(tenant),
          condition: 'attribute_not_exists(pk) OR attribute_exists(deletedAt)',
          onConditionFailed: () => new StaleReadError(),
        },
      ];

/** Something it depends on was changed at the same moment, or is gone. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiError && ['CONFLICT', 'ORGANIZATION_NOT_FOUND', 'PROJECT_NOT_FOUND'].includes(error.code);
