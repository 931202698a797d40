/** A restore under way, and the one condition under which anything is written for it. */
import { idsIn } from '../../contract/ids.ts';
import {
  type Advance,
  assertOrganizationActive,
  assertRunning,
  checkRunningJob,
  JobEndedError,
  updateRunningJob,
} from '../../job/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { addLogContext, get, getAll, type Tenant, type Write } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey } from './record.ts';

export interface Running {
  readonly restore: RestoreRecord;
  readonly organization: OrganizationRecord;
}

/**
 * The restore as it is now. Throws NotRunning if it has ended or goes on in another attempt than the caller works for, and
 * CANCELLED if its organization is gone.
 */
export const loadRunning = async (tenant: Tenant, restoreJobId: string, attempt?: number): Promise<Running> => {
  const found = await getAll([restoreKey.restore(tenant, restoreJobId), organizationKey.organization(tenant)]);
  const [restore, organization] = found as [RestoreRecord | undefined, OrganizationRecord | undefined];
  addLogContext(idsIn(restore));
  return { restore: assertSameAttempt(restore, attempt), organization: assertOrganizationActive(organization) };
};

/** Throws NotRunning also if the restore goes on in another attempt: each has a workflow of its own. */
export const assertSameAttempt = (record: RestoreRecord | undefined, attempt: number | undefined): RestoreRecord => {
  const restore = assertRunning(record);
  if (attempt !== undefined && restore.attempt !== attempt) throw new JobEndedError('gone on with by another attempt');
  return restore;
};

/** What a worker asks every few seconds beside its work. */
export const assertStillRunning = async (tenant: Tenant, { id, attempt }: Pick<RestoreRecord, 'id' | 'attempt'>): Promise<RestoreRecord> =>
  assertSameAttempt(await get(restoreKey.restore(tenant, id)), attempt);

export const updateRunning = (tenant: Tenant, restoreJobId: string, change: Advance): Write =>
  updateRunningJob(restoreKey.restore(tenant, restoreJobId), change);

export const checkRunning = (tenant: Tenant, restoreJobId: string, where: Advance['expected'] = {}): Write =>
  checkRunningJob(restoreKey.restore(tenant, restoreJobId), where);
