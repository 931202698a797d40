import { ApiError } from '../../contract/errors.ts';
import { type DestinationRecord, openStore, readDestination, StorageError } from '../../destination/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import type { BatchRecord } from '../model/record.ts';
import { chunkName } from './change-batch-writer.ts';

/** Deletes the object of a batch. Throws only if a retry may help; if the store refuses, the object stays and the reason is returned. */
export const deleteBatch = async (
  tenant: Tenant,
  { path, storageDestinationId }: Pick<BatchRecord, 'path' | 'storageDestinationId'>,
  open: typeof openStore = openStore,
): Promise<string | undefined> => {
  const destination = await destinationOf(tenant, storageDestinationId);
  if (!destination) return 'The storage destination is gone';
  if (destination.immutable) return 'The storage destination is immutable';
  try {
    const store = await open(tenant, destination, path);
    try {
      await store.remove([chunkName]);
      await store.abortUnfinishedUploads('');
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.isTransient) throw error;
    log.warn('change batch not deleted', { path, reason: error.message });
    return error.message;
  }
  log.info('change batch deleted', { path });
  return undefined;
};

const destinationOf = async (tenant: Tenant, storageDestinationId: string): Promise<DestinationRecord | undefined> => {
  try {
    return await readDestination(tenant, storageDestinationId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'STORAGE_NOT_FOUND') throw error;
    return undefined;
  }
};
