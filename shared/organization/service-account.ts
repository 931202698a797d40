/** The organization's one service account. Its key is shown once; what is kept recognises it and cannot be turned back into it. */
import type { Scope } from '../contract/access.ts';
import { ApiError } from '../contract/errors.ts';
import { type Change, create, fingerprint, get, iso, newId, type Tenant } from '../platform/index.ts';
import { newApiKey } from './api-key.ts';
import type { CallerContext } from './model/caller-context.ts';
import { whileActive } from './model/organization-guards.ts';
import { type ApiKeyRecord, lookup, organizationKey, type ServiceAccountRecord } from './model/record.ts';

/** `.invalid` is reserved (RFC 2606): a name for logs that no mail can ever reach. */
const addressDomain = 'service-accounts.backup-management.invalid';

export const createServiceAccount = (
  { tenant, actor }: CallerContext,
  wish: { readonly name: string; readonly permissions: readonly Scope[] },
  now: Date,
): { account: ServiceAccountRecord; apiKey: string; change: Change } => {
  const id = newId('serviceAccount', now);
  const { organizationId } = tenant;
  const email = `${id.toLowerCase()}@${addressDomain}`;
  const permissions = [...new Set(wish.permissions)];
  const account: ServiceAccountRecord = {
    ...organizationKey.serviceAccount(tenant),
    id,
    name: wish.name,
    email,
    permissions,
    createdAt: iso(now),
    createdBy: actor.id,
  };
  const apiKey = newApiKey(id);
  const key: ApiKeyRecord = {
    ...lookup.apiKey(id),
    accountId: id,
    organizationId,
    email,
    permissions,
    fingerprint: fingerprint(apiKey),
  };
  const exists = () => new ApiError('SERVICE_ACCOUNT_EXISTS', 'This organization has a service account already');
  return {
    account,
    apiKey,
    change: {
      writes: [create(account, exists), create(key), whileActive(tenant)],
      audit: [{ scope: organizationId, resource: { type: 'service_account', id }, details: { name: wish.name, permissions } }],
    },
  };
};

export const readServiceAccount = async (tenant: Tenant): Promise<ServiceAccountRecord> => {
  const account = await get(organizationKey.serviceAccount(tenant));
  if (!account) throw noServiceAccount();
  return account;
};

/** The account and its key end together: the next call with the key finds nothing. */
export const removeServiceAccount = ({ tenant }: CallerContext, { id, name }: ServiceAccountRecord): Change => ({
  writes: [
    {
      remove: organizationKey.serviceAccount(tenant),
      condition: 'id = :id',
      values: { ':id': id },
      onConditionFailed: noServiceAccount,
    },
    { remove: lookup.apiKey(id) },
    { remove: organizationKey.seen(tenant, id) },
  ],
  audit: [{ scope: tenant.organizationId, resource: { type: 'service_account', id }, details: { name } }],
});

const noServiceAccount = () => new ApiError('SERVICE_ACCOUNT_NOT_FOUND', 'This organization has no service account');
