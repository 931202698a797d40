/** A backup under way, and the one condition under which anything is written for it. */
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
import { type BackupRecord, backupKey } from './record.ts';

export interface RunningBackup {
  readonly backup: BackupRecord;
  readonly organization: OrganizationRecord;
}

/** The backup as it is now. Throws NotRunning if it has ended, and what it failed of if its time or its organization is over. */
export const readRunningBackup = async (tenant: Tenant, backupId: string, now: Date): Promise<RunningBackup> => {
  const found = await getAll([backupKey.backup(tenant, backupId), organizationKey.organization(tenant)]);
  const [backup, organization] = found as [BackupRecord | undefined, OrganizationRecord | undefined];
  addLogContext(idsIn(backup));
  return { backup: assertBackupRunning(backup, now), organization: assertOrganizationActive(organization) };
};

/** The same of a record that was just read. */
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

export const checkRunningBackup = (tenant: Tenant, backupId: string, where: Advance['expected'] = {}): Write =>
  checkRunningJob(backupKey.backup(tenant, backupId), where);
