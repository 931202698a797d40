/** Changing a schedule: only what is given changes, and no change is built on a state that another has replaced. */
import { isDeepStrictEqual } from 'node:util';
import { emit, enqueue } from '../../event/index.ts';
import { type CallerContext, whileActive } from '../../organization/index.ts';
import { type Change, iso, StaleReadError, set } from '../../platform/index.ts';
import { type ProjectRecord, whileConnected, whileNotMoving } from '../../project/index.ts';
import { dueWrites } from '../model/due-index.ts';
import { type ScheduleRecord, scheduleKey } from '../model/record.ts';
import { scheduleEvent } from '../model/schedule-view.ts';
import { about } from './create-schedule.ts';
import { checkWish, holdDestination, nextRunAtOf, retentionOf, type ScheduleWish } from './schedule-input.ts';

export type ScheduleChange = { readonly [K in keyof ScheduleWish]?: ScheduleWish[K] | undefined };

/** A call that changes nothing, because it gives nothing or what is so already, leaves no trace. */
export const changeSchedule = async (
  acting: CallerContext,
  schedule: ScheduleRecord,
  project: ProjectRecord,
  given: ScheduleChange,
  now: Date,
): Promise<{ schedule: ScheduleRecord; change: Change }> => {
  const { tenant, organization } = acting;
  const attributes = attributesOf(schedule, given);
  const names = Object.keys(attributes);
  if (names.length === 0) return { schedule, change: { writes: [], audit: [] } };
  const { storageDestinationId } = attributes;
  const held = storageDestinationId === undefined ? [] : await holdDestination(acting, project, storageDestinationId);
  const revised = {
    ...attributes,
    // Its times are counted anew from now on where they are others; else what is due stays due.
    ...(timing.some((name) => name in attributes) && {
      nextRunAt: nextRunAtOf({ ...schedule, ...attributes }, now),
      putOff: undefined,
    }),
    revision: schedule.revision + 1,
    updatedAt: iso(now),
  };
  const entries = Object.entries({ ...schedule, ...revised }).filter(([, value]) => value !== undefined);
  const changed = Object.fromEntries(entries) as ScheduleRecord;
  return {
    schedule: changed,
    change: {
      writes: [
        set(scheduleKey.schedule(tenant, schedule.id), revised, {
          // A run in between has moved on what is due, and the note of it.
          expected: { revision: schedule.revision, nextRunAt: schedule.nextRunAt },
          onConditionFailed: () => new StaleReadError(),
        }),
        whileActive(tenant),
        whileConnected(tenant, project.id),
        whileNotMoving(tenant, project.id),
        ...held,
        ...dueWrites(tenant, schedule, changed),
        emit(tenant, 'schedule.updated', scheduleEvent(changed, project, organization), now),
        enqueue(tenant, { kind: 'sync-schedule', scheduleId: schedule.id }, now),
      ],
      audit: [{ ...about(tenant, schedule.id), details: { name: changed.name, changed: names, ...shownOf(attributes) } }],
    },
  };
};

const timing = ['cron', 'timezone', 'enabled'] as const;

/** What becomes different. Throws VALIDATION_ERROR for the first field that is wrong, also where it would stay as it is. */
const attributesOf = (schedule: ScheduleRecord, given: ScheduleChange): Partial<ScheduleWish> => {
  const { retention: _days, retentionPolicy: _policy, ...others } = given;
  const wanted = { ...others, ...retentionOf(given, schedule) };
  const attributes = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && !isDeepStrictEqual(value, schedule[name])),
  ) as Partial<ScheduleWish>;
  checkWish({ ...schedule, ...attributes });
  return attributes;
};

/** Lists may be long; that they changed is enough. */
const shownOf = ({ collections: _collections, excludeCollections: _excluded, ...shown }: Partial<ScheduleWish>) => shown;
