import {
  authorizationUrl,
  beginLogin,
  type CodeRecord,
  checkCode,
  endSession,
  findOrCreateUser,
  finishLogin,
  identify,
  isAllowedRedirect,
  issueAccessToken,
  issueCode,
  type Misuse,
  openSession,
  presentRefresh,
  readCode,
  readUser,
  redeemCode,
  refreshProfile,
  revokeMisusedSession,
  rotateRefreshToken,
  storeGrant,
  type UserRecord,
  withCode,
} from '../../shared/account/index.ts';
import type { Actor } from '../../shared/audit/index.ts';
import { auth } from '../../shared/contract/endpoints/auth.ts';
import { type ApiError, invalid, unauthorized } from '../../shared/contract/errors.ts';
import { accessTokenSeconds } from '../../shared/contract/limits.ts';
import {
  clearedLoginCookie,
  clearedSessionCookies,
  handle,
  loginCookie,
  refreshCookie,
  refuseForeignOrigin,
  sessionCookies,
  startedLoginCookie,
} from '../../shared/http/index.ts';
import { membershipsOf, organizationIdsOf } from '../../shared/organization/index.ts';
import { env, envList } from '../../shared/platform/index.ts';

const callbackUrl = (): string => `${env('PUBLIC_URL')}${auth.callback.path}`;

export const google = handle(auth.google, async ({ query, now }) => {
  const { redirect_uri, login_hint } = query;
  if (redirect_uri !== undefined && !isAllowedRedirect(redirect_uri, envList('ALLOWED_REDIRECT_URIS'))) {
    throw invalid('redirect_uri', 'is not an allowed redirect URI');
  }
  const { login, cookie, write } = beginLogin(redirect_uri, now);
  return {
    location: await authorizationUrl(login, callbackUrl(), login_hint),
    cookies: [startedLoginCookie(cookie)],
    change: { writes: [write], audit: [] },
  };
});

export const callback = handle(auth.callback, async ({ query, incoming, now }) => {
  const { login, redirectUri } = await finishLogin(query.state, incoming.cookies[loginCookie], now);
  if (query.code === undefined && query.error === undefined) throw invalid('code', 'is required');
  const identity = await identify(new URLSearchParams(incoming.rawQuery), login, callbackUrl());
  const { profile } = identity;
  const { userId, isNew } = await findOrCreateUser(identity, now);
  const actor: Actor = { type: 'user', id: userId, email: profile.email };
  const profileWrites = [refreshProfile(userId, profile, now), ...(await storeGrant(userId, identity, now))];

  if (redirectUri !== undefined) {
    const { code, write } = issueCode(userId, now);
    const entry = { scope: userId, resource: { type: 'user', id: userId }, action: 'auth.code_issued' };
    return {
      location: withCode(redirectUri, code),
      cookies: [clearedLoginCookie()],
      change: { writes: [...profileWrites, write], audit: [entry] },
      actor,
    };
  }
  const { session, refreshToken, writes } = openSession(userId, now);
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
});

export const token = handle(auth.token, async ({ body, origin, now }) => {
  const record = await readCode(body.code);
  const verdict = checkCode(record, now);
  if (!record || verdict === 'refuse') throw invalidCode();
  const person = await readSignedInUser(record.userId);
  const replayed = async ({ sessionId }: Pick<CodeRecord, 'sessionId'>): Promise<ApiError> =>
    sessionId === undefined ? invalidCode() : revokeMisusedSession(misuse('auth.code_reused', sessionId, person), origin, now);
  if (verdict === 'replay') throw await replayed(record);
  const { session, refreshToken, writes } = openSession(record.userId, now);
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
  const person = await readSignedInUser(session.userId);
  const reused = () => revokeMisusedSession(misuse('auth.refresh_reused', session.id, person), origin, now);
  if (verdict === 'reuse') throw await reused();
  const { refreshToken, writes } = rotateRefreshToken({ session, presented, lost: reused }, now);
  const accessToken = await accessTokenFor(person, session.id, now);
  return {
    data: { accessToken, refreshToken, expiresIn: accessTokenSeconds },
    ...(fromCookie && { cookies: sessionCookies(accessToken, refreshToken) }),
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
    writes: [endSession(user.sessionId, now, () => unauthorized('The session has ended. Sign in again'))],
    audit: [sessionEntry(user.userId, user.sessionId)],
  },
}));

const invalidCode = (): ApiError => unauthorized('The code is invalid or expired. Sign in again');

const sessionEntry = (userId: string, sessionId: string) => ({ scope: userId, resource: { type: 'session', id: sessionId } });

interface SignedInUser {
  readonly user: UserRecord;
  readonly actor: Actor;
  readonly organizationIds: readonly string[];
}

/** The user of a session and the ids of the user's organizations, read concurrently. */
const readSignedInUser = async (userId: string): Promise<SignedInUser> => {
  const [user, organizationIds] = await Promise.all([readUser(userId), organizationIdsOf(userId)]);
  return { user, organizationIds, actor: { type: 'user', id: userId, email: user.email } };
};

const accessTokenFor = ({ user, organizationIds }: SignedInUser, sessionId: string, now: Date): Promise<string> =>
  issueAccessToken({ userId: user.id, sessionId, email: user.email, name: user.name }, organizationIds, now);

const misuse = (action: Misuse['action'], sessionId: string, { actor, organizationIds }: SignedInUser): Misuse => ({
  action,
  sessionId,
  user: actor,
  organizationIds,
});
