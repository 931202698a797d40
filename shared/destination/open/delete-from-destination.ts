import { ApiError } from '../../contract/errors.ts';
import type { Tenant } from '../../platform/index.ts';
import { readDestination } from '../model/read-destination.ts';
import type { DestinationRecord } from '../model/record.ts';
import { type ObjectStore, StorageError } from '../store/object-store.ts';
import { openStore } from './open-store.ts';

/**
 * Opens a destination and deletes objects from it. Rejects only if a retry may help. Otherwise it returns why the objects stay in
 * the customer's bucket, or undefined if they are deleted.
 */
export const deleteFromDestination = async (
  tenant: Tenant,
  destinationId: string,
  path: string,
  deleteObjects: (store: ObjectStore) => Promise<void>,
  open: typeof openStore = openStore,
): Promise<string | undefined> => {
  const destination = await findDestination(tenant, destinationId);
  if (!destination) return 'The storage destination was deleted';
  if (destination.immutable) return 'The storage destination is immutable';
  try {
    const store = await open(tenant, destination, path);
    try {
      await deleteObjects(store);
      return undefined;
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.isTransient) throw error;
    return error.message;
  }
};

/** A destination can be deleted once it holds no counted backups. */
const findDestination = async (tenant: Tenant, destinationId: string): Promise<DestinationRecord | undefined> => {
  try {
    return await readDestination(tenant, destinationId);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND') return undefined;
    throw error;
  }
};
