import { iso, type Tenant, walk } from '../../platform/index.ts';
import { type RestoreRecord, restorePrefix } from '../model/record.ts';
import { resumableUntil } from './clean-up-restore.ts';

/** Ids of the wrapping keys of journals that are no backups but may still be read. A retired passphrase is kept for them. */
export const journalKeyIds = async (tenant: Tenant, now: Date): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: restorePrefix };
  for await (const restore of walk<RestoreRecord>(range)) if (isNeeded(restore, now)) ids.add(restore.journal.encryption.keyId);
  return ids;
};

/** An attempt whose journal is not sealed is resumed with a new journal and key. */
const isNeeded = (restore: RestoreRecord, now: Date): boolean => {
  const { status, journal, sealedAt, safetyBackupId } = restore;
  if (journal.keyFile === undefined) return false;
  if (status === 'pending' || status === 'running') return true;
  return sealedAt !== undefined && safetyBackupId === undefined && (resumableUntil(restore) ?? '') > iso(now);
};
