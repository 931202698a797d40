import { StaleReadError, type Tenant, update, type Write } from '../../platform/index.ts';
import { notMoving } from '../../project/index.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';

const expected = { status: 'completed', ...notMoving, damagedDepth: undefined };

/**
 * Marks a backup as the parent of a new one by incrementing `builtUpon`. A concurrent delete that read the old count fails its
 * condition and re-evaluates.
 */
export const holdParent = (tenant: Tenant, backupId: string, more: Readonly<Record<string, unknown>> = {}): Write =>
  update(backupKey.backup(tenant, backupId), {
    add: { builtUpon: 1 },
    expected: { ...expected, ...more },
    onConditionFailed: () => new StaleReadError(),
  });

/** The same, provided that no other child has started since the parent was read: of a chain one synthetic full is made. */
export const holdParentOnce = (tenant: Tenant, { id, builtUpon }: Pick<BackupRecord, 'id' | 'builtUpon'>): Write =>
  holdParent(tenant, id, { builtUpon });
