import { type Tenant, walk } from '../../platform/index.ts';
import { type PitrRecord, pitrPrefix } from '../model/record.ts';

/** The base backups that captures need, for their documents or their data keys. A base stays on the record while a batch needs its key. */
export const pinnedBackups = async (tenant: Tenant): Promise<ReadonlySet<string>> => {
  const pinned = new Set<string>();
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: pitrPrefix };
  for await (const { bases, comingBaseId } of walk<PitrRecord>(range)) {
    for (const { backupId } of bases) pinned.add(backupId);
    if (comingBaseId !== null) pinned.add(comingBaseId);
  }
  return pinned;
};
