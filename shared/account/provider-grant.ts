/** What a person's grant gives: access tokens of the provider, for as long as the person lets us. */
import * as oauth from 'oauth4webapi';
import { ApiError } from '../contract/errors.ts';
import {
  type AccessToken,
  clock,
  commit,
  env,
  get,
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

/** What a provider says when the person took the grant back, or someone above them did. Nothing else is for good. */
const gone = ['invalid_grant', 'access_denied', 'admin_policy_enforced', 'org_internal'];
/** Google's, which every provider we know is at least as generous as. */
const lifetimeSeconds = 3_600;

/**
 * An access token for what the person agreed to. Throws a TokenError: for good where there is no grant, it lacks a scope
 * that is needed or the provider no longer honours it; transient where the provider does not answer.
 */
export const grantAccessToken = async (userId: string, neededScopes: readonly string[]): Promise<AccessToken> => {
  const grant = await readGrant(userId);
  const missing = neededScopes.find((scope) => !grant.scopes.includes(scope));
  if (missing !== undefined) throw refused(`The consent lacks the scope ${missing}; sign in again and allow it`);
  try {
    return await refresh(userId, grant);
  } catch (error) {
    // A provider that gives a new refresh token with each use: another call used this one and kept the next.
    if (!(error instanceof TokenError) || error.isTransient) throw error;
    const now = await readGrant(userId);
    if (now.updatedAt === grant.updatedAt) throw error;
    return refresh(userId, now);
  }
};

const refused = (message: string): TokenError => new TokenError(message, { isTransient: false });

const readGrant = async (userId: string): Promise<GrantRecord> => {
  const grant = await get(accountKey.grant(userId));
  if (!grant) throw refused('There is no consent to use; sign in again and allow access');
  return grant;
};

const contextOf = (userId: string) => ({ user: userId, purpose: 'provider-grant' });

const refresh = async (userId: string, grant: GrantRecord): Promise<AccessToken> => {
  const now = clock.now();
  const refreshToken = await openSecret(grant.sealed, contextOf(userId));
  const tokens = await askProvider(refreshToken);
  const { access_token: token, refresh_token: next, expires_in: seconds = lifetimeSeconds } = tokens;
  if (next !== undefined && next !== refreshToken) await storeNext(userId, grant, next, now);
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

/** What the provider sent stays out of the error and out of the log: it can hold tokens. */
const toTokenError = (error: unknown): TokenError => {
  const said = error instanceof oauth.ResponseBodyError ? error : undefined;
  if (said && said.status < 500 && gone.includes(said.error)) {
    return refused('The identity provider no longer honours the consent; sign in again and allow access');
  }
  const { code, name } = error as { code?: unknown; name?: string };
  log.warn('the identity provider gave no access token', { reason: code ?? name, status: said?.status, error: said?.error });
  return new TokenError('The identity provider does not answer as it should', { isTransient: true });
};

/** Only in the place of the one that was used: whoever signed in meanwhile has left a newer one. */
const storeNext = async (userId: string, { updatedAt }: GrantRecord, next: string, now: Date): Promise<void> => {
  const sealed = await sealSecret(next, contextOf(userId));
  try {
    await commit([set(accountKey.grant(userId), { sealed, updatedAt: iso(now) }, { expected: { updatedAt } })]);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error;
  }
};
