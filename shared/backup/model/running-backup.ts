import { idsIn } from '../../contract/ids.ts';
import {
  type Advance,
  assertOrganizationActive,
  assertRunning,
  checkRunningJob,
  JobFailure,
  updateRunningJob,
} from '../../job/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { addLogContext, getAll, type Tenant, type Write } from '../../platform/index.ts';
import { type BackupRecord, backupKey } from '../../stored-backup/index.ts';

export interface RunningBackup {
  readonly backup: BackupRecord;
  readonly organization: OrganizationRecord;
}

/** Throws JobEndedError if the backup has ended, a JobFailure if it timed out or its organization was deleted. */
export const readRunningBackup = async (tenant: Tenant, backupId: string, now: Date): Promise<RunningBackup> => {
  const [backup, organization] = await getAll([backupKey.backup(tenant, backupId), organizationKey.organization(tenant)]);
  addLogContext(idsIn(backup));
  return { backup: assertBackupRunning(backup, now), organization: assertOrganizationActive(organization) };
};

export const assertBackupRunning = (found: BackupRecord | undefined, now: Date): BackupRecord => {
  const backup = assertRunning(found);
  if (backup.deadline !== null && Date.parse(backup.deadline) <= now.getTime()) throw timeoutFailure(backup);
  return backup;
};

export const timeoutFailure = ({ startedAt, deadline }: BackupRecord): JobFailure => {
  const minutes = Math.round((Date.parse(deadline ?? '') - Date.parse(startedAt ?? '')) / 60_000);
  return new JobFailure('BACKUP_TIMEOUT', `The backup took longer than its ${minutes} minutes`, { timeoutMinutes: minutes });
};

export const updateRunningBackup = (tenant: Tenant, backupId: string, change: Advance): Write =>
  updateRunningJob(backupKey.backup(tenant, backupId), change);

export const checkRunningBackup = (tenant: Tenant, backupId: string, expected: Advance['expected'] = {}): Write =>
  checkRunningJob(backupKey.backup(tenant, backupId), expected);

type Plan = Pick<BackupRecord, 'planNumber' | 'shards'>;

export const isSamePlan = (one: Plan, other: Plan): boolean => one.planNumber === other.planNumber && one.shards === other.shards;
