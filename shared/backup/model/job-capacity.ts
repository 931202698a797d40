/** Limits of what one organization runs at once, because all organizations share the functions. */
import { ApiError } from '../../contract/errors.ts';
import { assertJobCapacity, countRunningJobs, runningItemsMax } from '../../job/index.ts';
import { claimJobStart, type OrganizationRecord } from '../../organization/index.ts';
import { after, epochSeconds, iso, organizationLimit, query, type Tenant, type Write, walk } from '../../platform/index.ts';
import { backupKey, type RunningRecord, runningPartition, verifyingPrefix } from './record.ts';

/** JOB_IN_PROGRESS once the organization's limit of pending and running backups is reached. */
export const assertBackupCapacity = async (tenant: Tenant): Promise<void> =>
  assertJobCapacity('backups', await countRunningBackups(tenant));

export const countRunningBackups = async (tenant: Tenant): Promise<number> =>
  countRunningJobs((await runningBackupIds(tenant)).map((id) => backupKey.backup(tenant, id)));

/** Backups that are pending or running, or have ended and are not cleaned up yet. */
export const runningBackupIds = async (tenant: Tenant): Promise<readonly string[]> => {
  const marks = walk<RunningRecord>({ pk: runningPartition, prefix: `${tenant.organizationId}#` });
  return (await Array.fromAsync(marks)).map(({ backupId }) => backupId);
};

interface BackupCapacity {
  /** How many more backups may start now. */
  readonly free: number;
  readonly max: number;
  /** Counts the start in its transaction: StaleReadError if any job has started since the capacity was read. */
  readonly claim: Write;
}

/** The organization must have been read before, so that a start between that and the count fails the claim. */
export const readBackupCapacity = async (tenant: Tenant, organization: OrganizationRecord): Promise<BackupCapacity> => {
  const max = organizationLimit('concurrentBackups');
  const free = Math.max(0, max - (await countRunningBackups(tenant)));
  return { free, max, claim: claimJobStart(tenant, organization) };
};

/** The workflow of a verification ends by then; one that seems to run for longer has died. */
export const verificationSeconds = 25 * 3_600;

/** CONFLICT once the organization's limit of running verifications is reached. */
export const assertVerificationCapacity = async (tenant: Tenant, now: Date): Promise<void> => {
  const running = await countRunningVerifications(tenant, now);
  const most = organizationLimit('concurrentVerifications');
  if (running < most) return;
  throw new ApiError(
    'CONFLICT',
    `An organization can run at most ${most} verifications at once. Start this one when another has ended`,
    { running, most },
  );
};

export const countRunningVerifications = async (tenant: Tenant, now: Date): Promise<number> => {
  const { items } = await query({ pk: `ORG#${tenant.organizationId}`, prefix: verifyingPrefix, limit: runningItemsMax });
  return items.filter(({ since }) => String(since) > iso(after(now, -verificationSeconds))).length;
};

export const addRunningVerification = (tenant: Tenant, backupId: string, now: Date): Write => ({
  put: {
    ...backupKey.verifying(tenant, backupId),
    backupId,
    since: iso(now),
    ttl: epochSeconds(after(now, verificationSeconds)),
  },
});

export const removeRunningVerification = (tenant: Tenant, backupId: string): Write => ({
  remove: backupKey.verifying(tenant, backupId),
});
