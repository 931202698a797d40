/** Sessions and their single-use refresh tokens: `<session id>.<43 base64url characters>`. */
import type { Origin } from '../audit/index.ts';
import { type ApiError, unauthorized } from '../contract/errors.ts';
import { isId } from '../contract/ids.ts';
import { refreshTokenSeconds, sessionMaxSeconds } from '../contract/limits.ts';
import { after, check, create, epochSeconds, get, getAll, iso, newId, randomToken, set, type Write } from '../platform/index.ts';
import { accountKey, type RefreshRecord, type RevokedSessionsRecord, type SessionRecord } from './record.ts';
import { sessionUse } from './session-use.ts';

type Session = Pick<SessionRecord, 'id' | 'endsAt'>;

interface SignIn extends Required<Pick<SessionRecord, 'kind' | 'name'>>, Pick<SessionRecord, 'grantedAt' | 'approvedBy'> {
  readonly userId: string;
  readonly origin: Origin;
}

export const openSession = (
  { origin, ...signIn }: SignIn,
  now: Date,
): { session: SessionRecord; refreshToken: string; writes: readonly Write[] } => {
  const id = newId('session', now);
  const endsAt = epochSeconds(after(now, sessionMaxSeconds));
  const isBrowser = signIn.kind === 'console' ? ({ isBrowser: true } as const) : {};
  const session = { id, createdAt: iso(now), endsAt, ...signIn, ...isBrowser };
  const record = { ...accountKey.session(id), ...session, ttl: endsAt } satisfies SessionRecord;
  const { refreshToken, write } = newRefreshToken(record, now);
  const use = { put: { ...accountKey.sessionUse(signIn.userId, id), ...sessionUse(record, origin, now) } };
  return { session: record, refreshToken, writes: [create(record), write, use] };
};

/** Whether the session was revoked, by itself or with the others of the person, or has reached its end. */
export const isOver = (session: SessionRecord, revoked: RevokedSessionsRecord | undefined, now: Date): boolean =>
  session.revokedAt !== undefined ||
  session.endsAt <= epochSeconds(now) ||
  (revoked !== undefined && session.id !== revoked.exceptSessionId && isGrantedUntil(session, revoked));

/**
 * What was granted before the person ended all sessions opens none afterwards, in whatever order the two are committed. The same holds
 * for an approval in a session that was itself ended.
 */
const isGrantedUntil = ({ grantedAt, createdAt, approvedBy }: SessionRecord, revoked: RevokedSessionsRecord): boolean =>
  (grantedAt ?? createdAt) <= revoked.revokedAt ||
  (approvedBy !== undefined && approvedBy.createdAt <= revoked.revokedAt && approvedBy.id !== revoked.exceptSessionId);

export const isRevokedWithAll = async (session: SessionRecord, now: Date): Promise<boolean> =>
  isOver(session, await get(accountKey.revokedSessions(session.userId)), now);

export const sessionEnded = (): ApiError => unauthorized('The session has ended. Sign in again');

/** Revokes the session and all of its tokens. `onConditionFailed` gives the error if it was revoked already. */
export const endSession = (sessionId: string, now: Date, onConditionFailed: () => ApiError): Write =>
  set(accountKey.session(sessionId), { revokedAt: iso(now) }, { expected: { revokedAt: undefined }, onConditionFailed });

/** Expires with its session at the latest. The record is kept for the session's lifetime, to detect a second use. */
const newRefreshToken = ({ id, endsAt }: Session, now: Date): { refreshToken: string; write: Write } => {
  const secret = randomToken();
  const expiresAt = Math.min(epochSeconds(after(now, refreshTokenSeconds)), endsAt);
  const record = { ...accountKey.refresh(id, secret), expiresAt, ttl: endsAt } satisfies RefreshRecord;
  return { refreshToken: `${id}.${secret}`, write: create(record) };
};

interface PresentedRefresh {
  readonly sessionId: string;
  readonly secret: string;
}

/** Undefined if malformed. */
export const readRefreshToken = (token: string): PresentedRefresh | undefined => {
  const [, sessionId, secret] = /^([^.]+)\.([\w-]{43})$/.exec(token) ?? [];
  return sessionId !== undefined && secret !== undefined && isId('session', sessionId) ? { sessionId, secret } : undefined;
};

/**
 * A used token is a stolen copy, even if it has expired since. An unknown token does not revoke the session that it names:
 * otherwise anyone who saw a session id could.
 */
export const checkRefresh = (
  session: SessionRecord | undefined,
  token: RefreshRecord | undefined,
  now: Date,
): 'rotate' | 'refuse' | 'reuse' => {
  if (!session || !token || session.revokedAt !== undefined) return 'refuse';
  if (token.usedAt !== undefined) return 'reuse';
  return Math.min(token.expiresAt, session.endsAt) > epochSeconds(now) ? 'rotate' : 'refuse';
};

type Presented =
  | { readonly verdict: 'refuse' }
  | { readonly verdict: 'rotate' | 'reuse'; readonly session: SessionRecord; readonly presented: PresentedRefresh };

/** Looks up a refresh token, in one round trip. Whether the person has ended all sessions is `isRevokedWithAll`. */
export const presentRefresh = async (token: string, now: Date): Promise<Presented> => {
  const presented = readRefreshToken(token);
  if (!presented) return { verdict: 'refuse' };
  const { sessionId, secret } = presented;
  const [session, stored] = await getAll([accountKey.session(sessionId), accountKey.refresh(sessionId, secret)]);
  const verdict = checkRefresh(session, stored, now);
  return session && verdict !== 'refuse' ? { verdict, session, presented } : { verdict: 'refuse' };
};

interface Rotation {
  readonly session: SessionRecord;
  readonly origin: Origin;
  readonly presented: PresentedRefresh;
  /** Gives the error if another call used the token first. */
  readonly lost: () => Promise<ApiError>;
}

/** Replaces a refresh token atomically. */
export const rotateRefreshToken = (
  { session, origin, presented: { secret }, lost }: Rotation,
  now: Date,
): { refreshToken: string; writes: readonly Write[] } => {
  const { refreshToken, write } = newRefreshToken(session, now);
  const alive = check(accountKey.session(session.id), { revokedAt: undefined }, sessionEnded);
  const used = set(
    accountKey.refresh(session.id, secret),
    { usedAt: iso(now) },
    { expected: { usedAt: undefined }, onConditionFailed: lost },
  );
  const use = { put: { ...accountKey.sessionUse(session.userId, session.id), ...sessionUse(session, origin, now) } };
  return { refreshToken, writes: [alive, used, write, use] };
};
