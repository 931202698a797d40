import type * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { storageEvents } from '../../contract/event-data/storage-events.ts';
import { isId } from '../../contract/ids.ts';
import type { StorageDestination } from '../../contract/models/storage-destination.ts';
import { emit } from '../../event/index.ts';
import { type OrganizationRecord, organizationKey, organizationRef } from '../../organization/index.ts';
import { add, get, type Key, type Tenant, takePage, type Write, walk } from '../../platform/index.ts';
import { credentialsMissing, hasCredentials } from './credentials.ts';
import type { DestinationRecord } from './record.ts';

type Shown = z.input<typeof StorageDestination>;

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
export const destinationData = (record: DestinationRecord): Shown => ({
  id: record.id,
  name: record.name,
  type: record.type,
  bucket: record.bucket,
  prefix: record.prefix,
  region: record.region,
  endpoint: record.endpoint,
  credentials: { ...record.masked },
  ...(record.workloadIdentity && { workloadIdentity: record.workloadIdentity }),
  ...(record.externalId !== undefined && { externalId: record.externalId }),
  immutable: record.immutable,
  objectLock: record.objectLock,
  sse: record.sse ?? null,
  sseKmsKeyId: record.sseKmsKeyId ?? null,
  status: record.status,
  lastError: lastErrorOf(record),
  lastTestedAt: record.lastTestedAt,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
});

const lastErrorOf = (record: DestinationRecord): Shown['lastError'] => {
  const { status, lastError, lastTestedAt } = record;
  if (status === 'connected') return null;
  if (!hasCredentials(record)) return { at: null, step: 'credentials', kind: 'denied', message: credentialsMissing };
  if (lastError) return { ...lastError, kind: lastError.kind ?? null };
  return { at: lastTestedAt, step: null, kind: null, message: 'The last test failed. Test the destination to see why' };
};

/** Whose destination an event is about. */
export interface DestinationOwner {
  readonly tenant: Tenant;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
}

export const connectedEvent = ({ tenant, organization }: DestinationOwner, record: DestinationRecord, now: Date): Write =>
  emit(tenant, {
    schemas: storageEvents,
    name: 'storage.connected',
    data: { organization: organizationRef(organization), storage: destinationData(record) },
    now,
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
