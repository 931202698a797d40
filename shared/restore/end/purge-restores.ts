import { deleteArchiveObjects } from '../../backup/index.ts';
import { type openStore, StorageError } from '../../destination/index.ts';
import { type Clock, deletePartition, log, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey, restorePrefix, workPartition } from '../model/record.ts';
import { deleteDiscardedAttempts } from '../point-in-time/materialize-attempts.ts';
import { restoreDeps } from '../restore-deps.ts';
import { journalLocation } from './clean-up-restore.ts';

interface RestorePurge {
  /** Whether the objects in the customer's buckets are deleted, too. */
  readonly deleteBackupData: boolean;
  /** False after enough retries: then a bucket that does not answer keeps its objects. */
  readonly isPatient: boolean;
}

/**
 * Deletes the restores of an organization with everything outside its partition; true if none remain. A running step finds the
 * record gone at its next commit, and ends. Safety backups are purged as backups.
 */
export const purgeRestores = async (
  tenant: Tenant,
  purge: RestorePurge,
  until: Date,
  time: Clock,
  open: typeof openStore = restoreDeps.openStore,
): Promise<boolean> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: restorePrefix };
  for await (const restore of walk<RestoreRecord>(range)) {
    if (time.now() >= until) return false;
    await deleteObjects(tenant, restore, purge, open);
    const { id, pk, sk, status } = restore;
    await deletePartition(workPartition(tenant, id));
    await removeAll([restoreKey.running(tenant, id), { pk, sk }]);
    // Objects that a running step stored before it found the record gone.
    if (status === 'pending' || status === 'running') await deleteObjects(tenant, restore, purge, open);
  }
  return true;
};

const deleteObjects = async (
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
    log.warn('objects of a purged restore stay in their destination', { restoreJobId: restore.id, reason: error.message });
  }
};
