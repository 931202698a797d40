/** Updates a schedule. Only the given settings change, and only if the schedule has not changed since it was read. */
import { isDeepStrictEqual } from 'node:util';
import { auditNote } from '../../audit/index.ts';
import { scheduleEvents } from '../../contract/event-data/schedule-events.ts';
import { emit, enqueue } from '../../event/index.ts';
import { type CallerContext, whileActive } from '../../organization/index.ts';
import { type Change, iso, omitUndefined } from '../../platform/index.ts';
import { type ProjectRecord, whileConnected, whileNotMoving } from '../../project/index.ts';
import { retimed } from '../../recurring/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import { scheduleWrites } from '../model/schedule-kind.ts';
import { scheduleEvent } from '../model/schedule-view.ts';
import { checkScheduleInput, holdDestination, retentionOf, type ScheduleInput } from './schedule-input.ts';

type ScheduleChange = { readonly [K in keyof ScheduleInput]?: ScheduleInput[K] | undefined };

/** A call that gives nothing new writes nothing: no event, no audit entry. */
export const updateSchedule = async (
  caller: CallerContext,
  {
    schedule,
    project,
    given,
    now,
  }: { readonly schedule: ScheduleRecord; readonly project: ProjectRecord; readonly given: ScheduleChange; readonly now: Date },
): Promise<{ schedule: ScheduleRecord; change: Change }> => {
  const { tenant, organization } = caller;
  const attributes = attributesOf(schedule, given);
  const names = Object.keys(attributes);
  if (names.length === 0) return { schedule, change: { writes: [], audit: [] } };
  const { storageDestinationId } = attributes;
  const held = storageDestinationId === undefined ? [] : await holdDestination(caller, project, storageDestinationId);
  const revised = {
    ...attributes,
    ...retimed(schedule, attributes, now),
    revision: schedule.revision + 1,
    updatedAt: iso(now),
  };
  const changed = omitUndefined({ ...schedule, ...revised }) as ScheduleRecord;
  return {
    schedule: changed,
    change: {
      writes: [
        ...scheduleWrites.set(tenant, schedule, revised),
        whileActive(tenant),
        whileConnected(tenant, project.id),
        whileNotMoving(tenant, project.id),
        ...held,
        emit(tenant, {
          schemas: scheduleEvents,
          name: 'schedule.updated',
          data: await scheduleEvent(tenant, changed, { project, organization }),
          now,
        }),
        enqueue(tenant, { kind: 'sync-schedule', scheduleId: schedule.id }, now),
      ],
      audit: [
        auditNote(tenant, {
          type: 'schedule',
          id: schedule.id,
          details: { name: changed.name, changed: names, ...auditedAttributes(attributes) },
        }),
      ],
    },
  };
};

/** The settings that change. Throws VALIDATION_ERROR for the first invalid field, also an unchanged one. */
const attributesOf = (schedule: ScheduleRecord, given: ScheduleChange): Partial<ScheduleInput> => {
  const { retention: _days, retentionPolicy: _policy, ...others } = given;
  const wanted = { ...others, ...retentionOf(given, schedule) };
  const attributes = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && !isDeepStrictEqual(value, schedule[name])),
  ) as Partial<ScheduleInput>;
  checkScheduleInput({ ...schedule, ...attributes });
  return attributes;
};

/** Collection lists may be long: the audit entry says only that they changed. */
const auditedAttributes = ({ collections: _collections, excludeCollections: _excluded, ...shown }: Partial<ScheduleInput>) =>
  shown;
