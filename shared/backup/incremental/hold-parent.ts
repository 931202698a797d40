import { StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';

/** Holds an earlier backup for one that is begun upon it: whoever is about to take it away at this moment has to look again. */
export const holdParent = (tenant: Tenant, backupId: string): Write => ({
  update: backupKey.backup(tenant, backupId),
  expression: 'ADD builtUpon :one',
  condition:
    '#status = :completed AND attribute_not_exists(leaving) AND attribute_not_exists(arriving) AND attribute_not_exists(damagedDepth)',
  names: { '#status': 'status' },
  values: { ':one': 1, ':completed': 'completed' },
  onConditionFailed: () => new StaleReadError(),
});

/** The same for what is made of a backup once: whoever has begun upon it since it was read may have been making that. */
export const holdParentOnce = (tenant: Tenant, { id, builtUpon }: Pick<BackupRecord, 'id' | 'builtUpon'>): Write => {
  const upon = holdParent(tenant, id) as Extract<Write, { update: unknown }>;
  const isAsRead = builtUpon === undefined ? 'attribute_not_exists(builtUpon)' : 'builtUpon = :read';
  return {
    ...upon,
    condition: `${upon.condition} AND ${isAsRead}`,
    values: { ...upon.values, ...(builtUpon !== undefined && { ':read': builtUpon }) },
  };
};
