import { iso, type Key, type Tenant, type Write } from '../../platform/index.ts';

export const retentionPartition = 'RETENTION';

/** One for each organization. */
export const retentionKey = ({ organizationId }: Tenant): Key => ({ pk: retentionPartition, sk: organizationId });

/** That the organization has something to be removed one day: the next sweep looks when. */
export const retentionNote = (tenant: Tenant, now: Date): Write => ({
  put: { ...retentionKey(tenant), organizationId: tenant.organizationId, dueAt: iso(now) },
});
