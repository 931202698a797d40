import { storageUsage } from '../../shared/contract/endpoints/storage-usage.ts';
import { handle } from '../../shared/http/index.ts';
import { readStorageUsage } from '../../shared/overview/index.ts';

export const get = handle(storageUsage.get, async ({ tenant, organization, params, now }) => ({
  data: await readStorageUsage(tenant, { organization, destinationId: params.storageId, now }),
}));
