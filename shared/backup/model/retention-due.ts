import { type Item, iso, type Key, type Tenant, type Write } from '../../platform/index.ts';

export const retentionPartition = 'RETENTION';

export interface DueRetention extends Item {
  readonly organizationId: string;
  readonly dueAt: string;
}

/** One for each organization. */
export const retentionKey = ({ organizationId }: Tenant): Key<DueRetention> => ({ pk: retentionPartition, sk: organizationId });

/** That the organization has something to be removed one day: the next sweep looks when. */
export const markRetentionDue = (tenant: Tenant, now: Date): Write => ({
  put: { ...retentionKey(tenant), organizationId: tenant.organizationId, dueAt: iso(now) },
});
