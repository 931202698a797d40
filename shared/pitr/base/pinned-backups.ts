import { type Tenant, walk } from '../../platform/index.ts';
import { type PitrRecord, pitrPrefix } from '../model/record.ts';

/**
 * The backups that captured changes need: what they are added to, and whose data keys they are sealed under. A base stays on
 * the record for as long as a batch is kept that was sealed under its key.
 */
export const pinnedBackups = async (tenant: Tenant): Promise<ReadonlySet<string>> => {
  const pinned = new Set<string>();
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: pitrPrefix };
  for await (const { bases, comingBaseId } of walk<PitrRecord>(range)) {
    for (const { backupId } of bases) pinned.add(backupId);
    if (comingBaseId !== null) pinned.add(comingBaseId);
  }
  return pinned;
};
