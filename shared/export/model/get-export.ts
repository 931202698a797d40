import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { type ExportRecord, exportKey } from './record.ts';

/** Throws the same error for a malformed id, an unknown id and an id of another organization. */
export const getExport = async (tenant: Tenant, exportId: string): Promise<ExportRecord> => {
  const record = isId('export', exportId) ? await get(exportKey.export(tenant, exportId)) : undefined;
  if (!record) throw new ApiError('EXPORT_NOT_FOUND', 'There is no such export');
  return record;
};
