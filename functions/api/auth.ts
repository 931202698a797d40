import type * as z from 'zod/mini';
import {
  type AppRequest,
  assertBinding,
  authorizationUrl,
  beginLogin,
  type CodeRecord,
  checkCode,
  endSession,
  findOrCreateUser,
  finishLogin,
  identify,
  isAllowedRedirect,
  isRevokedWithAll,
  issueAccessToken,
  issueCode,
  type Misuse,
  openSession,
  type ProviderIdentity,
  presentRefresh,
  readCode,
  readUser,
  redeemCode,
  refreshProfile,
  revokeMisusedSession,
  rotateRefreshToken,
  SignInDeclined,
  sessionEnded,
  storeGrant,
  withParameters,
} from '../../shared/account/index.ts';
import type { Actor, Origin } from '../../shared/audit/index.ts';
import { auth } from '../../shared/contract/endpoints/auth.ts';
import { ApiError, invalid, unauthorized } from '../../shared/contract/errors.ts';
import { accessTokenSeconds } from '../../shared/contract/limits.ts';
import {
  clearedLoginCookie,
  clearedSessionCookies,
  handle,
  loginCookie,
  prefersHtml,
  refreshCookie,
  refuseForeignOrigin,
  sessionCookies,
  startedLoginCookie,
} from '../../shared/http/index.ts';
import {
  accessTokenFor,
  membershipsOf,
  organizationIdsOf,
  readSignedInUser,
  type SignedInUser,
} from '../../shared/organization/index.ts';
import { env, envList, omitUndefined } from '../../shared/platform/index.ts';

const callbackUrl = (): string => `${env('PUBLIC_URL')}${auth.callback.path}`;

export const google = handle(auth.google, async ({ query, now }) => {
  const { login, cookie, write } = beginLogin(appRequest(query), now);
  return {
    location: await authorizationUrl(login, callbackUrl(), query.login_hint),
    cookies: [startedLoginCookie(cookie)],
    change: { writes: [write], audit: [] },
  };
});

/** Undefined for a sign-in by cookies. */
const appRequest = (query: z.output<typeof auth.google.query>): AppRequest | undefined => {
  const { redirect_uri: redirectUri, state, code_challenge: codeChallenge, code_challenge_method: method } = query;
  if (redirectUri === undefined) {
    const name = (['state', 'code_challenge', 'code_challenge_method'] as const).find((each) => query[each] !== undefined);
    if (name) throw invalid(name, 'requires redirect_uri');
    return undefined;
  }
  if (!isAllowedRedirect(redirectUri, envList('ALLOWED_REDIRECT_URIS'))) {
    throw invalid('redirect_uri', 'is not an allowed redirect URI');
  }
  if (codeChallenge === undefined && method !== undefined)
    throw invalid('code_challenge', 'is required with code_challenge_method');
  // RFC 7636 section 4.3: without a method it is plain, which protects nothing.
  if (codeChallenge !== undefined && method === undefined) {
    throw invalid('code_challenge_method', 'must be S256', { allowedValues: ['S256'] });
  }
  return omitUndefined({ redirectUri, state, codeChallenge });
};

export const callback = handle(auth.callback, async ({ query, incoming, origin, now }) => {
  const { login, app } = await finishLogin(query.state, incoming.cookies[loginCookie()], now);
  if (query.code === undefined && query.error === undefined) throw invalid('code', 'is required');
  try {
    const identity = await identify(new URLSearchParams(incoming.rawQuery), login, callbackUrl());
    return await signInAs({ identity, app, origin }, now);
  } catch (error) {
    if (!(error instanceof ApiError) || !(app || prefersHtml(incoming.headers.accept))) throw error;
    return {
      location: app
        ? withParameters(app.redirectUri, { ...signInError(error), state: app.state })
        : withParameters(`${env('CONSOLE_URL').replace(/\/$/, '')}/sign-in`, signInError(error)),
      cookies: [clearedLoginCookie()],
      change: { writes: [], audit: [] },
      actor: { type: 'system' as const, id: 'sign-in', email: null },
    };
  }
});

/** RFC 6749 section 4.1.2.1: an app, or the console, learns in its redirect why the sign-in failed. */
const signInError = (error: ApiError) => ({
  error: error instanceof SignInDeclined ? 'access_denied' : error.status >= 500 ? 'temporarily_unavailable' : 'server_error',
  error_description: error.message,
});

interface SignIn {
  readonly identity: ProviderIdentity;
  readonly app: AppRequest | undefined;
  readonly origin: Origin;
}

const signInAs = async ({ identity, app, origin }: SignIn, now: Date) => {
  const { profile } = identity;
  const { userId, isNew } = await findOrCreateUser(identity, now);
  const actor: Actor = { type: 'user', id: userId, email: profile.email };
  const profileWrites = [refreshProfile(userId, profile, now), ...(await storeGrant(userId, identity, now))];

  if (app) {
    const { code, write } = issueCode(userId, app, now);
    const entry = { scope: userId, resource: { type: 'user', id: userId }, action: 'auth.code_issued' } as const;
    return {
      location: withParameters(app.redirectUri, { code, state: app.state }),
      cookies: [clearedLoginCookie()],
      change: { writes: [...profileWrites, write], audit: [entry] },
      actor,
    };
  }
  const { session, refreshToken, writes } = openSession({ userId, kind: 'console', name: null, origin }, now);
  const organizationIds = isNew ? Promise.resolve([]) : organizationIdsOf(userId);
  const claims = { userId, sessionId: session.id, email: profile.email, name: profile.name };
  return {
    location: env('CONSOLE_URL'),
    cookies: organizationIds
      .then((ids) => issueAccessToken(claims, ids, now))
      .then((accessToken) => [...sessionCookies(accessToken, refreshToken), clearedLoginCookie()]),
    change: { writes: [...profileWrites, ...writes], audit: [sessionEntry(userId, session.id)] },
    actor,
  };
};

export const token = handle(auth.token, async ({ body, origin, now }) => {
  const record = await readCode(body.code);
  const verdict = checkCode(record, now);
  if (!record || verdict === 'refuse') throw invalidCode();
  // Before a replay revokes the session: a caller without the verifier could not have used the code.
  assertBinding(record, body);
  const { userId, redirectUri, issuedAt: grantedAt = '' } = record;
  const name = redirectUri === undefined ? null : new URL(redirectUri).host;
  const { session, refreshToken, writes } = openSession({ userId, kind: 'application', name, grantedAt, origin }, now);
  const [person, isRevoked] = await Promise.all([readSignedInUser(userId), isRevokedWithAll(session, now)]);
  const replayed = async ({ sessionId }: Pick<CodeRecord, 'sessionId'>): Promise<ApiError> =>
    sessionId === undefined ? invalidCode() : revokeMisusedSession(misuse('auth.code_reused', sessionId, person), origin, now);
  if (verdict === 'replay') throw await replayed(record);
  if (isRevoked) throw invalidCode();
  const redeem = redeemCode(body.code, session, async () => replayed((await readCode(body.code)) ?? {}));
  return {
    data: {
      accessToken: await accessTokenFor(person, session.id, now),
      refreshToken,
      expiresIn: accessTokenSeconds,
      tokenType: 'Bearer' as const,
    },
    change: { writes: [redeem, ...writes], audit: [sessionEntry(record.userId, session.id)] },
    actor: person.actor,
  };
});

export const refresh = handle(auth.refresh, async ({ body, incoming, origin, now }) => {
  const fromCookie = body.refreshToken === undefined;
  const token = body.refreshToken ?? incoming.cookies[refreshCookie];
  if (!token) throw invalid('refreshToken', 'is required');
  if (fromCookie) refuseForeignOrigin(incoming);
  const found = await presentRefresh(token, now);
  if (found.verdict === 'refuse') throw unauthorized('The refresh token is expired, revoked or malformed');
  const { session, presented, verdict } = found;
  const [person, isRevoked] = await Promise.all([readSignedInUser(session.userId), isRevokedWithAll(session, now)]);
  if (isRevoked) throw unauthorized('The refresh token is expired, revoked or malformed');
  const reused = () => revokeMisusedSession(misuse('auth.refresh_reused', session.id, person), origin, now);
  if (verdict === 'reuse') throw await reused();
  const { refreshToken, writes } = rotateRefreshToken({ session, origin, presented, lost: reused }, now);
  const accessToken = await accessTokenFor(person, session.id, now);
  const data = { accessToken, expiresIn: accessTokenSeconds };
  return {
    // A script of the page must not get hold of the refresh token that its cookie hides.
    ...(fromCookie ? { data, cookies: sessionCookies(accessToken, refreshToken) } : { data: { ...data, refreshToken } }),
    change: { writes, audit: [sessionEntry(session.userId, session.id)] },
    actor: person.actor,
  };
});

export const me = handle(auth.me, async ({ user }) => {
  const [profile, memberships] = await Promise.all([readUser(user.userId), membershipsOf(user.userId)]);
  const organizations = memberships.map(({ organization: { id, name }, role }) => ({ id, name, role }));
  return { data: { ...profile, organizations } };
});

export const logout = handle(auth.logout, async ({ user, now }) => ({
  message: 'Signed out',
  cookies: clearedSessionCookies,
  change: {
    writes: [endSession(user.sessionId, now, sessionEnded)],
    audit: [sessionEntry(user.userId, user.sessionId)],
  },
}));

const invalidCode = (): ApiError => unauthorized('The code is invalid or expired. Sign in again');

const sessionEntry = (userId: string, sessionId: string) => ({ scope: userId, resource: { type: 'session', id: sessionId } });

const misuse = (action: Misuse['action'], sessionId: string, { actor, organizationIds }: SignedInUser): Misuse => ({
  action,
  sessionId,
  user: actor,
  organizationIds,
});
