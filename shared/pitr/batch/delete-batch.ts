import { deleteFromDestination, openStore } from '../../destination/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { BatchRecord } from '../model/record.ts';
import { chunkName } from './change-batch-writer.ts';

/** Deletes the object of a batch. Throws only if a retry may help; if the store refuses, the object stays and the reason is returned. */
export const deleteBatch = (
  tenant: Tenant,
  { path, storageDestinationId }: Pick<BatchRecord, 'path' | 'storageDestinationId'>,
  open = openStore,
): Promise<string | undefined> =>
  deleteFromDestination(tenant, { destinationId: storageDestinationId, path, openStore: open }, async (store) => {
    await store.remove([chunkName]);
    // The exact name, because some stores list uploads by nothing else.
    await store.abortUnfinishedUploads(chunkName);
  });
