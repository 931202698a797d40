import { unauthorized } from '../contract/errors.ts';
import { get, iso, newId, sealSecret, setIfAbsent, type Write } from '../platform/index.ts';
import type { Profile, ProviderIdentity } from './identity-claims.ts';
import { accountKey, type GrantRecord, type UserRecord } from './record.ts';

/** The user of an identity, created at the first sign-in. Concurrent first sign-ins get the same user. */
export const findOrCreateUser = async (
  { issuer, subject }: Pick<ProviderIdentity, 'issuer' | 'subject'>,
  now: Date,
): Promise<{ userId: string; isNew: boolean }> => {
  const fresh = newId('user', now);
  const userId = await setIfAbsent(accountKey.identity(issuer, subject), 'userId', fresh);
  return { userId, isNew: userId === fresh };
};

/** Writes the provider's current profile. Also creates it, because an earlier first sign-in may have failed midway. */
export const refreshProfile = (userId: string, profile: Profile, now: Date): Write => {
  const attributes = { id: userId, ...profile, updatedAt: iso(now) };
  const names = Object.keys(attributes);
  return {
    update: accountKey.user(userId),
    expression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}, #createdAt = if_not_exists(#createdAt, :updatedAt)`,
    names: Object.fromEntries([...names, 'createdAt'].map((name) => [`#${name}`, name])),
    values: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`:${name}`, value])),
  };
};

/** Stores the refresh token for project connections. If the provider gave none, the earlier one stays. */
export const storeGrant = async (
  userId: string,
  { refreshToken, scopes }: ProviderIdentity,
  now: Date,
): Promise<readonly Write[]> => {
  if (refreshToken === undefined) return [];
  const sealed = await sealSecret(refreshToken, { user: userId, purpose: 'provider-grant' });
  return [{ put: { ...accountKey.grant(userId), sealed, scopes, updatedAt: iso(now) } satisfies GrantRecord }];
};

export const readUser = async (userId: string): Promise<UserRecord> => {
  const user = await get(accountKey.user(userId));
  if (!user) throw unauthorized('The user no longer exists. Sign in again');
  return user;
};
