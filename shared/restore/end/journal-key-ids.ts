import { iso, type Tenant, walk } from '../../platform/index.ts';
import { type RestoreRecord, restorePrefix } from '../model/record.ts';
import { resumableUntil } from './clean-up-restore.ts';

/**
 * What wraps the keys of journals that are not backups yet, or never will be, and may still be opened. A passphrase that an
 * organization has given up is kept as long as it opens one of them.
 */
export const journalKeyIds = async (tenant: Tenant, now: Date): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: restorePrefix };
  for await (const restore of walk<RestoreRecord>(range)) if (isOpened(restore, now)) ids.add(restore.journal.encryption.keyId);
  return ids;
};

/** One that was not sealed is begun anew with a key of its own. */
const isOpened = (restore: RestoreRecord, now: Date): boolean => {
  const { status, journal, sealedAt, safetyBackupId } = restore;
  if (journal.keyFile === undefined) return false;
  if (status === 'pending' || status === 'running') return true;
  return sealedAt !== undefined && safetyBackupId === undefined && (resumableUntil(restore) ?? '') > iso(now);
};
