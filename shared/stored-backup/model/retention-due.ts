import { type Item, iso, type Key, type Tenant, type Write } from '../../platform/index.ts';

export const retentionPartition = 'RETENTION';

/** Marks an organization whose backups the next retention sweep evaluates. */
export interface DueRetention extends Item {
  readonly organizationId: string;
  readonly dueAt: string;
}

export const retentionKey = ({ organizationId }: Tenant): Key<DueRetention> => ({ pk: retentionPartition, sk: organizationId });

export const markRetentionDue = (tenant: Tenant, now: Date): Write => ({
  put: { ...retentionKey(tenant), organizationId: tenant.organizationId, dueAt: iso(now) },
});
