/** Access tokens of the identity provider, from the refresh token that the user granted. */
import * as oauth from 'oauth4webapi';
import {
  type AccessToken,
  clock,
  commit,
  env,
  get,
  isConflict,
  iso,
  log,
  openSecret,
  sealSecret,
  secretValue,
  set,
  TokenError,
} from '../platform/index.ts';
import { discover, requestOptions } from './oidc-client.ts';
import { accountKey, type GrantRecord } from './record.ts';

/** Errors of a grant that the user or an administrator revoked. All others are transient. */
const revokedErrors = ['invalid_grant', 'access_denied', 'admin_policy_enforced', 'org_internal'];
/** Google's default; other providers use at least as much. */
const lifetimeSeconds = 3_600;

/**
 * An access token for the user's consent. Throws a TokenError: permanent if there is no grant, a required scope is missing or the
 * grant was revoked; transient if the provider is not available.
 */
export const grantAccessToken = async (userId: string, requiredScopes: readonly string[]): Promise<AccessToken> => {
  const grant = await readGrant(userId);
  const missing = requiredScopes.find((scope) => !grant.scopes.includes(scope));
  if (missing !== undefined) throw refused(`The consent lacks the scope ${missing}. Sign in again and allow it`);
  try {
    return await refresh(userId, grant);
  } catch (error) {
    // The provider may rotate refresh tokens: another call may have used this one and stored the next.
    if (!(error instanceof TokenError) || error.isTransient) throw error;
    const current = await readGrant(userId);
    if (current.updatedAt === grant.updatedAt) throw error;
    return refresh(userId, current);
  }
};

const refused = (message: string): TokenError => new TokenError(message, { isTransient: false });

const readGrant = async (userId: string): Promise<GrantRecord> => {
  const grant = await get(accountKey.grant(userId));
  if (!grant) throw refused('There is no consent. Sign in again and allow access');
  return grant;
};

const contextOf = (userId: string) => ({ user: userId, purpose: 'provider-grant' });

const refresh = async (userId: string, grant: GrantRecord): Promise<AccessToken> => {
  const now = clock.now();
  const refreshToken = await openSecret(grant.sealed, contextOf(userId));
  const tokens = await askProvider(refreshToken);
  const { access_token: token, refresh_token: next, expires_in: seconds = lifetimeSeconds } = tokens;
  if (next !== undefined && next !== refreshToken) await storeNext(userId, { grant, next, now });
  return { token, expiresAtMs: now.getTime() + seconds * 1_000 };
};

const askProvider = async (refreshToken: string): Promise<oauth.TokenEndpointResponse> => {
  try {
    const server = await discover();
    const client = { client_id: env('IDENTITY_CLIENT_ID') };
    const secret = oauth.ClientSecretPost(await secretValue('IDENTITY_SECRET_ID'));
    const response = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, requestOptions());
    return await oauth.processRefreshTokenResponse(server, client, response);
  } catch (error) {
    throw toTokenError(error);
  }
};

/** The provider's response is neither shown nor logged, because it can contain tokens. */
const toTokenError = (error: unknown): TokenError => {
  const response = error instanceof oauth.ResponseBodyError ? error : undefined;
  if (response && response.status < 500 && revokedErrors.includes(response.error)) {
    return refused('The identity provider no longer accepts the consent. Sign in again and allow access');
  }
  const { code, name } = error as { code?: unknown; name?: string };
  log.warn('the identity provider issued no access token', {
    reason: code ?? name,
    status: response?.status,
    error: response?.error,
  });
  return new TokenError('The identity provider is not available', { isTransient: true });
};

/** Compare-and-set: a user who signed in meanwhile has stored a newer token. */
const storeNext = async (
  userId: string,
  { grant: { updatedAt }, next, now }: { readonly grant: GrantRecord; readonly next: string; readonly now: Date },
): Promise<void> => {
  const sealed = await sealSecret(next, contextOf(userId));
  try {
    await commit([set(accountKey.grant(userId), { sealed, updatedAt: iso(now) }, { expected: { updatedAt } })]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
};
