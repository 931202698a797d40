import type * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import type { StorageDestination } from '../../contract/models/storage-destination.ts';
import { organizationKey } from '../../organization/index.ts';
import { add, get, type Key, type Tenant, takePage, type Write, walk } from '../../platform/index.ts';
import type { DestinationRecord } from './record.ts';

export const destinationNotFound = (): ApiError => new ApiError('STORAGE_NOT_FOUND', 'There is no such storage destination');

export const destinationKey = (tenant: Tenant, id: string): Key<DestinationRecord> => {
  const { pk, sk } = organizationKey.storageDestination(tenant, id);
  return { pk, sk };
};

/** Throws STORAGE_NOT_FOUND, also for what could not be an id. */
export const readDestination = async (tenant: Tenant, id: string): Promise<DestinationRecord> => {
  const record = isId('storageDestination', id) ? await get(destinationKey(tenant, id)) : undefined;
  if (!record) throw destinationNotFound();
  return record;
};

/** Newest first: their ids sort by time. */
export const listDestinations = async (
  tenant: Tenant,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ destinations: readonly DestinationRecord[]; next: string | undefined }> => {
  const { pk, sk: prefix } = organizationKey.storageDestination(tenant, '');
  const { items, next } = await takePage(walk<DestinationRecord>({ pk, prefix, newestFirst: true, after }), limit);
  return { destinations: items, next };
};

/** What the API and events show of a destination: no secret can be in it, because the record's own are sealed. */
export const destinationData = (record: DestinationRecord): z.input<typeof StorageDestination> => ({
  id: record.id,
  name: record.name,
  type: record.type,
  bucket: record.bucket,
  prefix: record.prefix,
  region: record.region,
  endpoint: record.endpoint,
  credentials: { ...record.masked },
  ...(record.externalId !== undefined && { externalId: record.externalId }),
  immutable: record.immutable,
  objectLock: record.objectLock,
  sse: record.sse ?? null,
  sseKmsKeyId: record.sseKmsKeyId ?? null,
  status: record.status,
  lastTestedAt: record.lastTestedAt,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
});

/** For the transaction in which a schedule or a capture of changes comes to name it: whoever is about to remove it looks again. */
export const countScheduledUse = (tenant: Tenant, destinationId: string): Write => ({
  ...add(organizationKey.storageDestination(tenant, destinationId), 'scheduledUse', 1),
  onConditionFailed: destinationNotFound,
});

/** Keeps the number of backups that lie there true, in the transaction that changes it: while it is not zero, nobody removes it. */
export const countBackups = (tenant: Tenant, destinationId: string, amount: 1 | -1): Write => ({
  ...add(organizationKey.storageDestination(tenant, destinationId), 'backupCount', amount),
  onConditionFailed: destinationNotFound,
});
