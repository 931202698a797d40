import { get, type Tenant } from '../../platform/index.ts';
import { type BackupRecord, sourceReadingOf } from '../../stored-backup/index.ts';
import { pitrKey } from '../model/record.ts';
import { auditedSince, decodeSlices } from '../timeline/audited-slices.ts';

/** When the oldest document of a moment was last read from the source: by its base, or since then by the audit. */
export const readAuditedSince = async (tenant: Tenant, base: BackupRecord, moment: string): Promise<string | undefined> => {
  const since = sourceReadingOf(base).auditedSince;
  const audit = since === undefined ? undefined : await get(pitrKey.audit(tenant, base.projectId));
  return since !== undefined && audit ? auditedSince(decodeSlices(audit.slices), since, moment) : since;
};
