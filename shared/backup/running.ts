/** A backup under way, and the one condition under which anything is written for it. */
import { ApiError } from '../contract/errors.ts';
import { type OrganizationRecord, organizationKey } from '../organization/index.ts';
import { getAll, type Tenant, type Write } from '../platform/index.ts';
import { JobFailure } from './failure.ts';
import { type BackupRecord, backupKey } from './record.ts';

/** The backup has ended by other hands: it was cancelled, failed or given up. Whoever still works for it keeps nothing. */
export class NotRunning extends Error {
  constructor(status: string) {
    super(`the backup is ${status}`);
    this.name = 'NotRunning';
  }
}

export interface Running {
  readonly backup: BackupRecord;
  readonly organization: OrganizationRecord;
}

/** The backup as it is now. Throws NotRunning if it has ended, and what it failed of if its time or its organization is over. */
export const readRunning = async (tenant: Tenant, backupId: string, now: Date): Promise<Running> => {
  const found = await getAll([backupKey.backup(tenant, backupId), organizationKey.organization(tenant)]);
  const [backup, organization] = found as [BackupRecord | undefined, OrganizationRecord | undefined];
  return { backup: stillRunning(backup, now), organization: stillThere(organization) };
};

/** The same of a record that was just read. */
export const stillRunning = (backup: BackupRecord | undefined, now: Date): BackupRecord => {
  if (!backup) throw new NotRunning('gone');
  if (backup.status !== 'running') throw new NotRunning(backup.status);
  if (backup.failure) throw new NotRunning('about to fail');
  if (backup.deadline !== null && Date.parse(backup.deadline) <= now.getTime()) throw timedOut(backup);
  return backup;
};

const stillThere = (organization: OrganizationRecord | undefined): OrganizationRecord => {
  if (organization && organization.deletedAt === undefined) return organization;
  throw new JobFailure('CANCELLED', 'The organization was deleted');
};

export const timedOut = ({ startedAt, deadline }: BackupRecord): JobFailure => {
  const minutes = Math.round((Date.parse(deadline ?? '') - Date.parse(startedAt ?? '')) / 60_000);
  return new JobFailure('BACKUP_TIMEOUT', `The backup took longer than its ${minutes} minutes`, { timeoutMinutes: minutes });
};

interface Advance {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  /** Attributes that must still be as they were read. */
  readonly where?: Readonly<Record<string, unknown>>;
}

/** Writes to the record of a running backup. The condition fails once it has failed, was cancelled or has ended. */
export const advance = (tenant: Tenant, backupId: string, { set = {}, add = {}, where = {} }: Advance): Write => {
  const [sets, adds, wheres] = [Object.entries(set), Object.entries(add), Object.entries(where)];
  const part = (word: string, list: readonly string[]): string => (list.length > 0 ? `${word} ${list.join(', ')} ` : '');
  const conditions = wheres.map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :was_${name}`,
  );
  return {
    update: backupKey.backup(tenant, backupId),
    expression: (
      part(
        'SET',
        sets.map(([name]) => `#${name} = :${name}`),
      ) +
      part(
        'ADD',
        adds.map(([name]) => `#${name} :${name}`),
      )
    ).trim(),
    condition: ['#status = :is_running', 'attribute_not_exists(#failure)', ...conditions].join(' AND '),
    names: {
      '#status': 'status',
      '#failure': 'failure',
      ...Object.fromEntries([...sets, ...adds, ...wheres].map(([name]) => [`#${name}`, name])),
    },
    values: {
      ':is_running': 'running',
      ...Object.fromEntries([...sets, ...adds].map(([name, value]) => [`:${name}`, value])),
      ...Object.fromEntries(wheres.filter(([, value]) => value !== undefined).map(([name, value]) => [`:was_${name}`, value])),
    },
  };
};

/** That it still runs, without changing it. */
export const whileRunning = (tenant: Tenant, backupId: string, where: Advance['where'] = {}): Write => {
  const { condition = '', names = {}, values = {} } = advance(tenant, backupId, { where });
  return { check: backupKey.backup(tenant, backupId), condition, names, values };
};

/** A condition failed, or others kept writing the same items: what was read is to be read again. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === 'CONFLICT';
