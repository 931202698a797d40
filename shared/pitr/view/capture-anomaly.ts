import { getAll, type Tenant } from '../../platform/index.ts';
import { type BackupAnomaly, backupKey, capturedAnomaly } from '../../stored-backup/index.ts';
import type { PitrRecord } from '../model/record.ts';

/** The newest finding in captured changes that is not acknowledged. It marks a base, which is kept until then. */
export const captureAnomaly = async (tenant: Tenant, { bases }: Pick<PitrRecord, 'bases'>): Promise<BackupAnomaly | null> => {
  const found = await getAll(bases.map(({ backupId }) => backupKey.backup(tenant, backupId)));
  return found.flatMap((base) => (base?.anomalyState === 'open' ? (capturedAnomaly(base) ?? []) : [])).at(-1) ?? null;
};
