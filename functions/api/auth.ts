/** Signing in, staying signed in and signing out. */
import {
  accountKey,
  authorizationUrl,
  beginLogin,
  type CodeRecord,
  endMisusedSession,
  endSession,
  finishLogin,
  identify,
  isAllowedRedirect,
  issueAccessToken,
  issueCode,
  judgeCode,
  judgeRefresh,
  keepGrant,
  type Misuse,
  openSession,
  type RefreshRecord,
  readRefreshToken,
  redeemCode,
  refreshProfile,
  rotate,
  type SessionRecord,
  type UserRecord,
  userOf,
  withCode,
} from '../../shared/account/index.ts';
import type { Actor, Origin } from '../../shared/audit/index.ts';
import { auth } from '../../shared/contract/auth.ts';
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
import { belongingsOf, organizationIdsOf } from '../../shared/organization/index.ts';
import { env, envList, get, getAll } from '../../shared/platform/index.ts';

const callbackUrl = (): string => `${env('PUBLIC_URL')}${auth.callback.path}`;

export const google = handle(auth.google, async ({ query, now }) => {
  const { redirect_uri, login_hint } = query;
  if (redirect_uri !== undefined && !isAllowedRedirect(redirect_uri, envList('ALLOWED_REDIRECT_URIS'))) {
    throw invalid('redirect_uri', 'is not on the list of allowed redirect addresses');
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
  const { userId, isNew } = await userOf(identity, now);
  const actor: Actor = { type: 'user', id: userId, email: profile.email };
  const known = [refreshProfile(userId, profile, now), ...(await keepGrant(userId, identity, now))];

  if (redirectUri !== undefined) {
    const { code, write } = issueCode(userId, now);
    const entry = { scope: userId, resource: { type: 'user', id: userId }, action: 'auth.code_issued' };
    return {
      location: withCode(redirectUri, code),
      cookies: [clearedLoginCookie()],
      change: { writes: [...known, write], audit: [entry] },
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
    change: { writes: [...known, ...writes], audit: [sessionEntry(userId, session.id)] },
    actor,
  };
});

export const token = handle(auth.token, async ({ body, origin, now }) => {
  const record = (await get(accountKey.code(body.code))) as CodeRecord | undefined;
  const verdict = judgeCode(record, now);
  if (!record || verdict === 'refuse') throw unauthorized('This code is not valid, or no longer; sign in again');
  const person = await readPerson(record.userId);
  if (verdict === 'replay') throw await refuseReplay(record, person, origin, now);
  const { session, refreshToken, writes } = openSession(record.userId, now);
  const lost = async () => refuseReplay((await get(accountKey.code(body.code))) as CodeRecord | undefined, person, origin, now);
  return {
    data: {
      accessToken: await accessTokenFor(person, session.id, now),
      refreshToken,
      expiresIn: accessTokenSeconds,
      tokenType: 'Bearer' as const,
    },
    change: { writes: [redeemCode(body.code, session, lost), ...writes], audit: [sessionEntry(record.userId, session.id)] },
    actor: person.actor,
  };
});

export const refresh = handle(auth.refresh, async ({ body, incoming, origin, now }) => {
  const fromCookie = body.refreshToken === undefined;
  const given = body.refreshToken ?? incoming.cookies[refreshCookie];
  if (!given) throw invalid('refreshToken', 'is required');
  if (fromCookie) refuseForeignOrigin(incoming);
  const { presented, session, verdict } = await readRefresh(given, now);
  if (!presented || !session || verdict === 'refuse') throw unauthorized('This refresh token is expired, revoked or malformed');
  const person = await readPerson(session.userId);
  const reused = () => refuseReuse('auth.refresh_reused', session.id, person, origin, now);
  if (verdict === 'reuse') throw await reused();
  const { refreshToken, writes } = rotate(session, presented, now, reused);
  const accessToken = await accessTokenFor(person, session.id, now);
  return {
    data: { accessToken, refreshToken, expiresIn: accessTokenSeconds },
    ...(fromCookie && { cookies: sessionCookies(accessToken, refreshToken) }),
    change: { writes, audit: [sessionEntry(session.userId, session.id)] },
    actor: person.actor,
  };
});

export const me = handle(auth.me, async ({ user }) => {
  const [profile, belongings] = await Promise.all([readUser(user.userId), belongingsOf(user.userId)]);
  const organizations = belongings.map(({ organization: { id, name }, role }) => ({ id, name, role }));
  return { data: { ...profile, organizations } };
});

export const logout = handle(auth.logout, async ({ user, now }) => ({
  message: 'Signed out',
  cookies: clearedSessionCookies,
  change: {
    writes: [endSession(user.sessionId, now, () => unauthorized('This session has ended; sign in again'))],
    audit: [sessionEntry(user.userId, user.sessionId)],
  },
}));

const sessionEntry = (userId: string, sessionId: string) => ({ scope: userId, resource: { type: 'session', id: sessionId } });

interface Known {
  readonly user: UserRecord;
  readonly actor: Actor;
  readonly organizationIds: readonly string[];
}

const readUser = async (userId: string): Promise<UserRecord> => {
  const user = (await get(accountKey.user(userId))) as UserRecord | undefined;
  if (!user) throw unauthorized('This user is gone; sign in again');
  return user;
};

/** Who a session belongs to and where, in one round trip. */
const readPerson = async (userId: string): Promise<Known> => {
  const [user, organizationIds] = await Promise.all([readUser(userId), organizationIdsOf(userId)]);
  return { user, organizationIds, actor: { type: 'user', id: userId, email: user.email } };
};

const accessTokenFor = ({ user, organizationIds }: Known, sessionId: string, now: Date): Promise<string> =>
  issueAccessToken({ userId: user.id, sessionId, email: user.email, name: user.name }, organizationIds, now);

const readRefresh = async (given: string, now: Date) => {
  const presented = readRefreshToken(given);
  if (!presented) return {};
  const { sessionId, secret } = presented;
  const [session, kept] = (await getAll([accountKey.session(sessionId), accountKey.refresh(sessionId, secret)])) as [
    SessionRecord | undefined,
    RefreshRecord | undefined,
  ];
  return { presented, session, verdict: judgeRefresh(session, kept, now) };
};

const refuseReuse = (
  action: Misuse['action'],
  sessionId: string,
  { actor, organizationIds }: Known,
  origin: Origin,
  now: Date,
): Promise<ApiError> => endMisusedSession({ action, sessionId, user: actor, organizationIds }, origin, now);

const refuseReplay = async (record: CodeRecord | undefined, person: Known, origin: Origin, now: Date): Promise<ApiError> =>
  record?.sessionId === undefined
    ? unauthorized('This code is not valid, or no longer; sign in again')
    : refuseReuse('auth.code_reused', record.sessionId, person, origin, now);
