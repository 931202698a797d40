import { ApiError } from '../../contract/errors.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { readDestination } from '../model/read-destination.ts';
import type { DestinationRecord } from '../model/record.ts';
import { type ObjectStore, StorageError } from '../store/object-store.ts';
import { openStore as openRealStore } from './open-store.ts';

interface DeletionTarget {
  readonly destinationId: string;
  readonly path: string;
  /** Why the objects must stay, if so. Called before the store is opened. */
  readonly reasonToKeep?: () => Promise<string | undefined>;
  readonly openStore?: typeof openRealStore;
  /** Rejects if the store refuses, too, because its permissions may be corrected. */
  readonly rejectsRefusal?: boolean;
}

/** Deletes objects of a folder. Rejects only if a retry may help; otherwise returns why the objects stay, if they do. */
export const deleteFromDestination = async (
  tenant: Tenant,
  { destinationId, path, reasonToKeep, openStore = openRealStore, rejectsRefusal = false }: DeletionTarget,
  deleteObjects: (store: ObjectStore) => Promise<unknown>,
): Promise<string | undefined> => {
  const destination = await findDestination(tenant, destinationId);
  if (!destination) return 'The storage destination was deleted';
  if (destination.immutable) return 'The storage destination is immutable';
  const reason = await reasonToKeep?.();
  if (reason !== undefined) return reason;
  try {
    const store = await openStore(tenant, destination, path);
    try {
      await deleteObjects(store);
      return undefined;
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.isTransient || rejectsRefusal) throw error;
    log.warn('the destination refuses to delete objects', { destinationId, path, reason: error.message });
    return error.message;
  }
};

/** A destination can be deleted once no backup counts there. */
const findDestination = async (tenant: Tenant, id: string): Promise<DestinationRecord | undefined> => {
  try {
    return await readDestination(tenant, id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'STORAGE_NOT_FOUND') throw error;
    return undefined;
  }
};
