import { commit, type Tenant } from '../platform/index.ts';
import { type RestoreRecord, restoreKey } from './record.ts';

/** Writes that were acknowledged. */
export interface Acknowledged {
  readonly written: number;
  readonly deleted: number;
}

/**
 * What the target acknowledged after the restore had ended, before its writers had heard of it: counted for whoever looks. It is
 * kept apart, because the next attempt finds these documents as they should be and counts them itself.
 */
export const countLate = async (
  tenant: Tenant,
  { id, attempt }: Pick<RestoreRecord, 'id' | 'attempt'>,
  { written, deleted }: Acknowledged,
): Promise<void> => {
  if (written + deleted === 0) return;
  await commit([
    {
      update: restoreKey.restore(tenant, id),
      expression: 'ADD lateWritten :written, lateDeleted :deleted',
      condition: 'attempt = :attempt',
      values: { ':written': written, ':deleted': deleted, ':attempt': attempt },
    },
  ]);
};
