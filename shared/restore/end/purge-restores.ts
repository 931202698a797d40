import type { openStore } from '../../destination/index.ts';
import { type PurgeOptions, purgeObjects, workPartition } from '../../job/index.ts';
import { deletePartition, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey, restorePrefix } from '../model/record.ts';
import { deleteDiscardedAttempts } from '../point-in-time/materialize-attempts.ts';
import { restoreDeps } from '../restore-deps.ts';
import { prepareJournalDeletion } from './clean-up-restore.ts';

/**
 * Deletes the restores of an organization with everything outside its partition. False if the deadline passed first. A running
 * step finds the record gone at its next commit, and ends. Safety backups are purged as backups.
 */
export const purgeRestores = async (
  tenant: Tenant,
  options: PurgeOptions,
  open: typeof openStore = restoreDeps.openStore,
): Promise<boolean> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: restorePrefix };
  for await (const restore of walk<RestoreRecord>(range)) {
    if (options.clock.now() >= options.deadline) return false;
    const { id, pk, sk, status, journal, givenUp = [], safetyBackupId } = restore;
    const journals = safetyBackupId === undefined ? [...givenUp, journal] : givenUp;
    const deletions = await Promise.all(
      journals.map((one) => prepareJournalDeletion(tenant, { restore, journal: one, openStore: open })),
    );
    const deleteObjects = async (): Promise<void> => {
      for (const deleteJournal of deletions) await deleteJournal();
      await deleteDiscardedAttempts(tenant, restore, open);
    };
    await purgeObjects(id, options, deleteObjects);
    await deletePartition(workPartition(tenant, id));
    await removeAll([restoreKey.running(tenant, id), { pk, sk }]);
    // Objects that a running step stored before it found the record gone.
    if (status === 'pending' || status === 'running') await purgeObjects(id, options, deleteObjects);
  }
  return true;
};
