/** The limit of backups that one organization runs at once, because all organizations share the functions. */
import { assertJobCapacity, countRunningJobs } from '../../job/index.ts';
import { claimJobStart, type OrganizationRecord } from '../../organization/index.ts';
import { organizationLimit, type Tenant, type Write, walk } from '../../platform/index.ts';
import { backupKey, type RunningRecord, runningPartition } from '../../stored-backup/index.ts';

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
