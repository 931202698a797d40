import { deleteArchiveObjects } from '../../backup/index.ts';
import { type openStore, StorageError } from '../../destination/index.ts';
import { type Clock, log, query, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey, restorePrefix, workPartition } from '../model/record.ts';
import { deleteDiscardedAttempts } from '../point-in-time/materialize-attempts.ts';
import { restoreDeps } from '../restore-deps.ts';
import { journalLocation } from './clean-up-restore.ts';

export interface RestorePurge {
  /** Whether the objects in the customer's buckets go, too. */
  readonly deleteBackupData: boolean;
  /** False once enough has been tried: then a bucket that does not answer keeps its objects. */
  readonly isPatient: boolean;
}

/**
 * Removes the restores of an organization with what lies outside its partition, and tells whether none is left. What still runs
 * finds its record gone at its next commit, and ends. Safety backups are backups, and go with those.
 */
export const purgeRestores = async (
  tenant: Tenant,
  wish: RestorePurge,
  until: Date,
  time: Clock,
  open: typeof openStore = restoreDeps.openStore,
): Promise<boolean> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: restorePrefix };
  for await (const restore of walk<RestoreRecord>(range)) {
    if (time.now() >= until) return false;
    await erase(tenant, restore, wish, open);
    await removeWork(tenant, restore);
    const { id, pk, sk, status } = restore;
    await removeAll([restoreKey.running(tenant, id), { pk, sk }]);
    // Whatever was under way when the record went.
    if (status === 'pending' || status === 'running') await erase(tenant, restore, wish, open);
  }
  return true;
};

const erase = async (
  tenant: Tenant,
  restore: RestoreRecord,
  { deleteBackupData, isPatient }: RestorePurge,
  open: typeof openStore,
): Promise<void> => {
  if (!deleteBackupData) return;
  const { journal, givenUp = [], safetyBackupId } = restore;
  try {
    for (const stored of safetyBackupId === undefined ? [...givenUp, journal] : givenUp)
      await deleteArchiveObjects(tenant, journalLocation(tenant, restore, stored), open);
    await deleteDiscardedAttempts(tenant, restore, open);
  } catch (error) {
    if (isPatient || !(error instanceof StorageError)) throw error;
    log.warn('what a purged restore has saved stays', { restoreJobId: restore.id, reason: error.message });
  }
};

const removeWork = async (tenant: Tenant, { id }: RestoreRecord): Promise<void> => {
  // Every sort key in it begins with a letter.
  const range = { pk: workPartition(tenant, id), prefix: '', from: '0' };
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page = await query({ ...range, limit: 200 });
    await removeAll(page.items);
    next = page.next;
  }
};
