/** Reads schedules. */
import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import { get, omitUndefined, type Tenant, takePage, walk } from '../../platform/index.ts';
import { type ProjectRecord, projectKey } from '../../project/index.ts';
import { type ScheduleRecord, scheduleKey, schedulePrefix } from './record.ts';

export const noSuchSchedule = (): ApiError => new ApiError('SCHEDULE_NOT_FOUND', 'There is no such schedule');

/** The id of another organization, a malformed one and an unknown one get the same answer. */
export const readSchedule = async (tenant: Tenant, scheduleId: string): Promise<ScheduleRecord> => {
  const schedule = isId('schedule', scheduleId) ? await get(scheduleKey.schedule(tenant, scheduleId)) : undefined;
  if (!schedule) throw noSuchSchedule();
  return schedule;
};

/** Undefined if the project is deleted; its schedules are deleted soon after. */
export const projectOf = async (tenant: Tenant, { projectId }: ScheduleRecord): Promise<ProjectRecord | undefined> =>
  await get(projectKey.project(tenant, projectId));

interface ScheduleFilter {
  readonly projectId?: string | undefined;
  readonly enabled?: 'true' | 'false' | undefined;
}

/** Newest first: ids sort by time. */
export const listSchedules = async (
  tenant: Tenant,
  { projectId, enabled }: ScheduleFilter,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ schedules: readonly ScheduleRecord[]; next: string | undefined }> => {
  const all = schedulesOf(tenant, { projectId }, { newestFirst: true, after });
  const wanted = async function* () {
    for await (const schedule of all) if (enabled === undefined || schedule.enabled === (enabled === 'true')) yield schedule;
  };
  const { items, next } = await takePage(wanted(), limit);
  return { schedules: items, next };
};

/** A schedule that names the destination. */
export const scheduleUsing = async (tenant: Tenant, storageDestinationId: string): Promise<ScheduleRecord | undefined> => {
  for await (const schedule of schedulesOf(tenant, { storageDestinationId })) return schedule;
  return undefined;
};

/** Those with these attributes; one that is undefined is not compared. An organization has at most a few hundred schedules. */
export const schedulesOf = (
  tenant: Tenant,
  where: Readonly<Partial<Record<'projectId' | 'storageDestinationId', string | undefined>>> = {},
  order: { readonly newestFirst?: boolean; readonly after?: string | undefined } = {},
): AsyncIterable<ScheduleRecord> =>
  walk<ScheduleRecord>({
    pk: scheduleKey.schedule(tenant, '').pk,
    prefix: schedulePrefix,
    where: omitUndefined(where),
    ...order,
  });
