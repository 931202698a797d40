import { organizationKey } from '../../organization/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';

/** Keeps what an organization says of its backups true, in the transaction that completes one or takes one away. */
export const countInOrganization = (tenant: Tenant, backups: 1 | -1, bytes: number): Write => ({
  update: organizationKey.organization(tenant),
  expression: 'ADD backupCount :backups, storageUsed :bytes',
  condition: 'attribute_exists(pk)',
  values: { ':backups': backups, ':bytes': backups * bytes },
});
