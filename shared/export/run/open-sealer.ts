import { deriveSealKey } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { AgeSealer } from '../encrypt/age-sealer.ts';
import type { ExportRecord } from '../model/record.ts';
import { exportSecrets, type OpenedBackup } from './export-secrets.ts';

/** Undefined if the files are not encrypted. */
export const openSealer = async (tenant: Tenant, record: ExportRecord, opened: OpenedBackup): Promise<AgeSealer | undefined> => {
  if (!record.recipients) return undefined;
  const { dataKey, salt } = await exportSecrets(tenant, record, opened);
  return new AgeSealer(record.recipients, deriveSealKey(dataKey, salt));
};
