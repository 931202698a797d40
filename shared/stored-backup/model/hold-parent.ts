import { StaleReadError, type Tenant, type Update, update, type Write } from '../../platform/index.ts';
import { notLeaving, notMoving } from '../../project/index.ts';
import { type BackupRecord, backupKey } from './record.ts';

/**
 * Marks a backup as the parent of a new one by incrementing `builtUpon`. A concurrent delete that read the old count fails its
 * condition and re-evaluates.
 */
export const holdParent = (tenant: Tenant, backupId: string, { set, expected }: Pick<Update, 'set' | 'expected'> = {}): Write =>
  holdDependency(tenant, backupId, { set, expected: { ...notMoving, damagedDepth: undefined, ...expected } });

/** The same for a backup that an existing archive depends on, even if it is damaged. */
export const holdDependency = (tenant: Tenant, backupId: string, more: Pick<Update, 'set' | 'expected'> = {}): Write =>
  update(backupKey.backup(tenant, backupId), {
    add: { builtUpon: 1 },
    set: more.set,
    expected: { status: 'completed', ...notLeaving, ...more.expected },
    onConditionFailed: () => new StaleReadError(),
  });

/** The same, provided that no other child has started since the parent was read: of a chain one synthetic full is made. */
export const holdParentOnce = (tenant: Tenant, { id, builtUpon }: Pick<BackupRecord, 'id' | 'builtUpon'>): Write =>
  holdParent(tenant, id, { expected: { builtUpon } });
