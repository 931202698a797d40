/** A restore under way, and the one condition under which anything is written for it. */
import { type Advance, advanceJob, stillGoing, stillThere, whileJobRuns } from '../job/index.ts';
import { type OrganizationRecord, organizationKey } from '../organization/index.ts';
import { getAll, type Tenant, type Write } from '../platform/index.ts';
import { type RestoreRecord, restoreKey } from './record.ts';

export interface Running {
  readonly restore: RestoreRecord;
  readonly organization: OrganizationRecord;
}

/** The restore as it is now. Throws NotRunning if it has ended, and CANCELLED if its organization is gone. */
export const readRunning = async (tenant: Tenant, restoreJobId: string): Promise<Running> => {
  const found = await getAll([restoreKey.restore(tenant, restoreJobId), organizationKey.organization(tenant)]);
  const [restore, organization] = found as [RestoreRecord | undefined, OrganizationRecord | undefined];
  return { restore: stillGoing(restore), organization: stillThere(organization) };
};

export const advance = (tenant: Tenant, restoreJobId: string, change: Advance): Write =>
  advanceJob(restoreKey.restore(tenant, restoreJobId), change);

export const whileRunning = (tenant: Tenant, restoreJobId: string, where: Advance['where'] = {}): Write =>
  whileJobRuns(restoreKey.restore(tenant, restoreJobId), where);
