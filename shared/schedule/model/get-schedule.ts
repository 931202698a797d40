/** Reading schedules: one, one with its project, or the newest first. */
import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import { get, type Tenant, takePage, walk } from '../../platform/index.ts';
import { type ProjectRecord, projectKey } from '../../project/index.ts';
import { type ScheduleRecord, scheduleKey, schedulePrefix } from './record.ts';

export const noSuchSchedule = (): ApiError => new ApiError('SCHEDULE_NOT_FOUND', 'There is no such schedule');

/** Another's id, a malformed one and one that never was answer alike. */
export const readSchedule = async (tenant: Tenant, scheduleId: string): Promise<ScheduleRecord> => {
  const schedule = isId('schedule', scheduleId) ? await get(scheduleKey.schedule(tenant, scheduleId)) : undefined;
  if (!schedule) throw noSuchSchedule();
  return schedule as ScheduleRecord;
};

/** Undefined where the project is gone, which its schedules are about to be. */
export const projectOf = async (tenant: Tenant, { projectId }: ScheduleRecord): Promise<ProjectRecord | undefined> =>
  await get(projectKey.project(tenant, projectId));

export interface ScheduleFilter {
  readonly projectId?: string | undefined;
  readonly enabled?: 'true' | 'false' | undefined;
}

/** Newest first: their ids sort by time. */
export const listSchedules = async (
  tenant: Tenant,
  { projectId, enabled }: ScheduleFilter,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ schedules: readonly ScheduleRecord[]; next: string | undefined }> => {
  const all = schedulesOf(tenant, { ...(projectId !== undefined && { projectId }) }, { newestFirst: true, after });
  const wanted = async function* () {
    for await (const schedule of all) if (enabled === undefined || schedule.enabled === (enabled === 'true')) yield schedule;
  };
  const { items, next } = await takePage(wanted(), limit);
  return { schedules: items, next };
};

/** The first schedule found that sends its backups there by name. */
export const scheduleUsing = async (tenant: Tenant, storageDestinationId: string): Promise<ScheduleRecord | undefined> => {
  for await (const schedule of schedulesOf(tenant, { storageDestinationId })) return schedule;
  return undefined;
};

const schedulesOf = (
  tenant: Tenant,
  where: Readonly<Record<string, string>>,
  order: { readonly newestFirst?: boolean; readonly after?: string | undefined } = {},
): AsyncIterable<ScheduleRecord> =>
  walk<ScheduleRecord>({ pk: scheduleKey.schedule(tenant, '').pk, prefix: schedulePrefix, where, ...order });
