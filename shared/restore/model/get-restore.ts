import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey } from './record.ts';

export const restoreNotFound = (): ApiError => new ApiError('RESTORE_NOT_FOUND', 'There is no such restore');

/** Throws the same error for a malformed id, an unknown id and an id of another organization. */
export const getRestore = async (tenant: Tenant, restoreJobId: string): Promise<RestoreRecord> => {
  const record = isId('restore', restoreJobId) ? await get(restoreKey.restore(tenant, restoreJobId)) : undefined;
  if (!record) throw restoreNotFound();
  return record;
};
