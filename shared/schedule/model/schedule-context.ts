import type { OrganizationRecord } from '../../organization/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { loadContext } from '../../recurring/index.ts';
import type { ScheduleRecord } from './record.ts';
import { scheduleKind } from './schedule-kind.ts';

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
  const context = await loadContext(scheduleKind, tenant, scheduleId);
  return context && { tenant, schedule: context.record, project: context.project, organization: context.organization };
};
