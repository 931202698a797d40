/** The organization's one service account. Its API key is shown once; only its fingerprint is stored. */
import { auditNote } from '../../audit/index.ts';
import type { Scope } from '../../contract/access.ts';
import { ApiError } from '../../contract/errors.ts';
import { idPrefixes } from '../../contract/ids.ts';
import {
  type Change,
  create,
  fingerprint,
  get,
  iso,
  newId,
  omitUndefined,
  query,
  remove,
  StaleReadError,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { newKeyToken } from '../api-key/key-token.ts';
import type { CallerContext } from '../model/caller-context.ts';
import { whileActive, whileMember } from '../model/organization-guards.ts';
import { type FingerprintRecord, lookup, organizationKey, type SeenRecord, type ServiceAccountRecord } from '../model/record.ts';

/** `.invalid` is reserved (RFC 2606): an address for logs that never receives mail. */
const addressDomain = 'service-accounts.backup-management.invalid';

export const createServiceAccount = (
  { tenant, actor }: CallerContext,
  input: { readonly name: string; readonly permissions: readonly Scope[] },
  now: Date,
): { account: ServiceAccountRecord; apiKey: string; change: Change } => {
  const id = newId('serviceAccount', now);
  const { organizationId } = tenant;
  const email = `${id.toLowerCase()}@${addressDomain}`;
  const permissions = [...new Set(input.permissions)];
  const apiKey = newKeyToken(id);
  const account: ServiceAccountRecord = {
    ...organizationKey.serviceAccount(tenant),
    id,
    name: input.name,
    email,
    permissions,
    createdAt: iso(now),
    createdBy: actor.id,
  };
  const key: FingerprintRecord = {
    ...lookup.fingerprint(id),
    accountId: id,
    organizationId,
    email,
    permissions,
    fingerprint: fingerprint(apiKey),
  };
  const exists = () => new ApiError('SERVICE_ACCOUNT_EXISTS', 'The organization already has a service account');
  return {
    account,
    apiKey,
    change: {
      writes: [create(account, exists), create(key), whileActive(tenant), whileMember(tenant, actor.id)],
      audit: [auditNote(tenant, { type: 'service_account', id, details: { name: input.name, permissions } })],
    },
  };
};

export const readServiceAccount = async (tenant: Tenant): Promise<ServiceAccountRecord> => {
  const account = await get(organizationKey.serviceAccount(tenant));
  if (!account) throw noServiceAccount();
  return account;
};

/** The account, and when its key was last used, in one round trip: the time is found by its kind of actor. */
export const readServiceAccountUse = async (
  tenant: Tenant,
): Promise<{ account: ServiceAccountRecord; lastUsedAt: string | null }> => {
  const { pk, sk: prefix } = organizationKey.seen(tenant, `${idPrefixes.serviceAccount}_`);
  const [account, { items }] = await Promise.all([readServiceAccount(tenant), query<SeenRecord>({ pk, prefix })]);
  return { account, lastUsedAt: items.find(({ sk }) => sk === account.id)?.at ?? null };
};

/** The account as the API shows it. */
export const serviceAccountData = (account: ServiceAccountRecord, lastUsedAt: string | null, now: Date) => {
  const { createdBy = null, endedAt, previousKeyExpiresAt = '', permissions } = account;
  return {
    ...account,
    permissions: [...permissions],
    lastUsedAt,
    createdBy,
    status: endedAt ? ('ended' as const) : ('active' as const),
    previousKeyExpiresAt: previousKeyExpiresAt > iso(now) ? previousKeyExpiresAt : null,
  };
};

/** Changes the given fields, of the account and its key together. */
export const updateServiceAccount = (
  { tenant }: CallerContext,
  account: ServiceAccountRecord,
  { name, permissions }: { readonly name?: string | undefined; readonly permissions?: readonly Scope[] | undefined },
): { account: ServiceAccountRecord; change: Change } => {
  const given = omitUndefined({ name, permissions: permissions && [...new Set(permissions)] });
  if (Object.keys(given).length === 0) return { account, change: { writes: [], audit: [] } };
  return {
    account: { ...account, ...given },
    change: {
      writes: [
        accountUpdate(tenant, account, given),
        ...(given.permissions ? [set(lookup.fingerprint(account.id), { permissions: given.permissions })] : []),
      ],
      audit: [auditNote(tenant, { type: 'service_account', id: account.id, details: given })],
    },
  };
};

/** The account must be as it was read: its maker, and whether its key has ended. */
export const accountUpdate = (
  tenant: Tenant,
  { id, createdBy, endedAt }: ServiceAccountRecord,
  changes: Readonly<Record<string, unknown>>,
): Write =>
  set(organizationKey.serviceAccount(tenant), changes, {
    expected: { id, createdBy, endedAt },
    onConditionFailed: () => new StaleReadError(),
  });

/** Deletes the account and its key together: the next call with the key is refused. */
export const removeServiceAccount = ({ tenant }: CallerContext, { id, name }: ServiceAccountRecord): Change => ({
  writes: [
    remove(organizationKey.serviceAccount(tenant), noServiceAccount, { id }),
    { remove: lookup.fingerprint(id) },
    { remove: organizationKey.seen(tenant, id) },
  ],
  audit: [auditNote(tenant, { type: 'service_account', id, details: { name } })],
});

export const noServiceAccount = () => new ApiError('SERVICE_ACCOUNT_NOT_FOUND', 'The organization has no service account');
