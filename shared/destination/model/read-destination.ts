import type * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import type { StorageDestination } from '../../contract/models/storage-destination.ts';
import { organizationKey } from '../../organization/index.ts';
import { add, get, type Key, type Tenant, takePage, type Write, walk } from '../../platform/index.ts';
import type { DestinationRecord } from './record.ts';

export const destinationNotFound = (): ApiError => new ApiError('STORAGE_NOT_FOUND', 'Storage destination not found');

/** The key belongs to `organization`, because the organization's settings name a default destination. */
export const destinationKey = (tenant: Tenant, id: string): Key<DestinationRecord> => {
  const { pk, sk } = organizationKey.storageDestination(tenant, id);
  return { pk, sk };
};

/** Throws STORAGE_NOT_FOUND, also for a malformed id. */
export const readDestination = async (tenant: Tenant, id: string): Promise<DestinationRecord> => {
  const record = isId('storageDestination', id) ? await get(destinationKey(tenant, id)) : undefined;
  if (!record) throw destinationNotFound();
  return record;
};

/** Newest first: ids sort by creation time. */
export const listDestinations = async (
  tenant: Tenant,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ destinations: readonly DestinationRecord[]; next: string | undefined }> => {
  const { pk, sk: prefix } = organizationKey.storageDestination(tenant, '');
  const { items, next } = await takePage(walk<DestinationRecord>({ pk, prefix, newestFirst: true, after }), limit);
  return { destinations: items, next };
};

/** A destination as the API and events show it. It contains no secret, because the record's credentials are encrypted. */
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

/** Counts a new use by a schedule or a capture, in its transaction. A concurrent deletion that read the old count fails its condition. */
export const countScheduledUse = (tenant: Tenant, destinationId: string): Write => ({
  ...add(destinationKey(tenant, destinationId), 'scheduledUse', 1),
  onConditionFailed: destinationNotFound,
});

/** Adjusts the number of backups at the destination, in the transaction that adds or removes one. A destination with backups stays. */
export const countBackups = (tenant: Tenant, destinationId: string, amount: 1 | -1): Write => ({
  ...add(destinationKey(tenant, destinationId), 'backupCount', amount),
  onConditionFailed: destinationNotFound,
});
