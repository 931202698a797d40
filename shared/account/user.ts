/** People: one user for each issuer and subject, with the profile the provider last told us. */
import { unauthorized } from '../contract/errors.ts';
import { get, iso, newId, sealSecret, setIfAbsent, type Write } from '../platform/index.ts';
import type { Identity, Profile } from './identity-claims.ts';
import { accountKey, type GrantRecord, type UserRecord } from './record.ts';

/** The user behind an identity, made on first sight. First sign-ins at the same moment agree on one user. */
export const findOrCreateUser = async (
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
  now: Date,
): Promise<{ userId: string; isNew: boolean }> => {
  const fresh = newId('user', now);
  const userId = await setIfAbsent(accountKey.identity(issuer, subject), 'userId', fresh);
  return { userId, isNew: userId === fresh };
};

/** The profile as the provider tells it now. Creates it too: an identity can be claimed and the call then fail. */
export const refreshProfile = (userId: string, profile: Profile, now: Date): Write => {
  const told = { id: userId, ...profile, updatedAt: iso(now) };
  const names = Object.keys(told);
  return {
    update: accountKey.user(userId),
    expression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}, #createdAt = if_not_exists(#createdAt, :updatedAt)`,
    names: Object.fromEntries([...names, 'createdAt'].map((name) => [`#${name}`, name])),
    values: Object.fromEntries(Object.entries(told).map(([name, value]) => [`:${name}`, value])),
  };
};

/** Keeps what project connections will use. A provider that gives no refresh token this time leaves the earlier one in place. */
export const storeGrant = async (userId: string, { refreshToken, scopes }: Identity, now: Date): Promise<readonly Write[]> => {
  if (refreshToken === undefined) return [];
  const sealed = await sealSecret(refreshToken, { user: userId, purpose: 'provider-grant' });
  return [{ put: { ...accountKey.grant(userId), sealed, scopes, updatedAt: iso(now) } satisfies GrantRecord }];
};

/** The person of a session or a code. */
export const readUser = async (userId: string): Promise<UserRecord> => {
  const user = await get(accountKey.user(userId));
  if (!user) throw unauthorized('This user is gone; sign in again');
  return user;
};
