import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { get, getAll, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, projectKey } from '../../project/index.ts';
import { type ScheduleRecord, scheduleKey } from './record.ts';

/** A schedule as the table has it, with what it needs to run; whatever is undefined is gone. */
export interface ScheduleContext {
  readonly tenant: Tenant;
  readonly schedule: ScheduleRecord;
  readonly project: ProjectRecord | undefined;
  readonly organization: OrganizationRecord | undefined;
}

/** The same where all of it is there. */
export interface ActiveScheduleContext extends ScheduleContext {
  readonly project: ProjectRecord;
  readonly organization: OrganizationRecord;
}

/** Undefined if there is no such schedule. */
export const readAround = async (tenant: Tenant, scheduleId: string): Promise<ScheduleContext | undefined> => {
  const schedule = await get(scheduleKey.schedule(tenant, scheduleId));
  if (!schedule) return undefined;
  const [project, organization] = await getAll([
    projectKey.project(tenant, schedule.projectId),
    organizationKey.organization(tenant),
  ]);
  return {
    tenant,
    schedule,
    project: project as ProjectRecord | undefined,
    organization: organization as OrganizationRecord | undefined,
  };
};

/** A schedule runs, and the Scheduler has its entries, as long as it is enabled, its project there and its organization not deleted. */
export const isActive = (around: ScheduleContext): around is ActiveScheduleContext =>
  around.schedule.enabled &&
  around.project !== undefined &&
  around.organization !== undefined &&
  around.organization.deletedAt === undefined;
