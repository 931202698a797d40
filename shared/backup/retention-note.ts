import { iso, type Tenant, type Write } from '../platform/index.ts';

export const retentionPartition = 'RETENTION';

/** That the organization has something to be removed one day: the next sweep looks when. */
export const retentionNote = ({ organizationId }: Tenant, now: Date): Write => ({
  put: { pk: retentionPartition, sk: organizationId, organizationId, dueAt: iso(now) },
});
