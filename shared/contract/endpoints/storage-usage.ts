/** Apart from the other endpoints of destinations: the stack of these is full (`infra/further-routes-stack.ts`). */
import { apiPrefix, group } from '../endpoint.ts';
import { StorageUsage } from '../models/storage-usage.ts';

export const storageUsage = group('storageUsage', `${apiPrefix}/storage-destinations`, {
  get: {
    route: 'GET /{storageId}/usage',
    // It shows every project that uses the bucket, so a key that is limited to projects is refused.
    access: { role: 'viewer', scope: 'storage:read', projects: 'organization' },
    summary:
      'What a storage destination holds by project, what uses it, and what it costs a month by list price. Sizes come from the records of backups, not from the bucket',
    data: StorageUsage,
    errors: ['STORAGE_NOT_FOUND'],
    capabilities: ['table:read'],
  },
});
