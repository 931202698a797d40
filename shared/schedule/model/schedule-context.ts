import { ApiError } from '../../contract/errors.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { get, getAll, isConflict, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, projectKey } from '../../project/index.ts';
import { type ScheduleRecord, scheduleKey } from './record.ts';

/** A schedule with its project and organization; undefined if they are deleted. */
export interface ScheduleContext {
  readonly tenant: Tenant;
  readonly schedule: ScheduleRecord;
  readonly project: ProjectRecord | undefined;
  readonly organization: OrganizationRecord | undefined;
}

export interface ActiveScheduleContext extends ScheduleContext {
  readonly project: ProjectRecord;
  readonly organization: OrganizationRecord;
}

/** Undefined if there is no such schedule. */
export const loadScheduleContext = async (tenant: Tenant, scheduleId: string): Promise<ScheduleContext | undefined> => {
  const schedule = await get(scheduleKey.schedule(tenant, scheduleId));
  if (!schedule) return undefined;
  const [project, organization] = await getAll([
    projectKey.project(tenant, schedule.projectId),
    organizationKey.organization(tenant),
  ]);
  return { tenant, schedule, project, organization };
};

/** A schedule runs, and has Scheduler entries, while it is enabled, its project exists and its organization is not deleted. */
export const isActive = (context: ScheduleContext): context is ActiveScheduleContext =>
  context.schedule.enabled &&
  context.project !== undefined &&
  context.organization !== undefined &&
  context.organization.deletedAt === undefined;

/** The schedule, its project or its organization changed since the context was loaded: load it again. */
export const isStaleContext = (error: unknown): boolean =>
  isConflict(error) || (error instanceof ApiError && ['ORGANIZATION_NOT_FOUND', 'PROJECT_NOT_FOUND'].includes(error.code));
