import { organizationKey } from '../../organization/index.ts';
import { type Tenant, type Update, update, type Write } from '../../platform/index.ts';

/** Updates the organization's backup count and storage, in the transaction that completes or removes a backup. */
export const countInOrganization = (
  tenant: Tenant,
  {
    backups,
    bytes,
    condition = {},
  }: {
    readonly backups: 1 | -1;
    readonly bytes: number;
    readonly condition?: Pick<Update, 'expected' | 'onConditionFailed'> | undefined;
  },
): Write =>
  update(organizationKey.organization(tenant), { add: { backupCount: backups, storageUsed: backups * bytes }, ...condition });
