/** Sessions and their refresh tokens: `<session id>.<43 base64url characters>`, good for one use. */
import { type ApiError, unauthorized } from '../contract/errors.ts';
import { isId } from '../contract/ids.ts';
import { refreshTokenSeconds, sessionMaxSeconds } from '../contract/limits.ts';
import { after, create, epochSeconds, getAll, iso, newId, randomToken, set, type Write } from '../platform/index.ts';
import { accountKey, type RefreshRecord, type SessionRecord } from './record.ts';

type Session = Pick<SessionRecord, 'id' | 'endsAt'>;

export const openSession = (userId: string, now: Date): { session: Session; refreshToken: string; writes: readonly Write[] } => {
  const id = newId('session', now);
  const endsAt = epochSeconds(after(now, sessionMaxSeconds));
  const record = { ...accountKey.session(id), id, userId, createdAt: iso(now), endsAt, ttl: endsAt } satisfies SessionRecord;
  const { refreshToken, write } = newRefreshToken(record, now);
  return { session: record, refreshToken, writes: [create(record), write] };
};

/** From here on every token of the session is refused. Once: `onConditionFailed` speaks when it had ended already. */
export const endSession = (sessionId: string, now: Date, onConditionFailed: () => ApiError): Write =>
  set(accountKey.session(sessionId), { revokedAt: iso(now) }, { expected: { revokedAt: undefined }, onConditionFailed });

/** Never outlives its session. The record stays as long as the session can, so that a second use is recognised to the end. */
const newRefreshToken = ({ id, endsAt }: Session, now: Date): { refreshToken: string; write: Write } => {
  const secret = randomToken();
  const expiresAt = Math.min(epochSeconds(after(now, refreshTokenSeconds)), endsAt);
  const record = { ...accountKey.refresh(id, secret), expiresAt, ttl: endsAt } satisfies RefreshRecord;
  return { refreshToken: `${id}.${secret}`, write: create(record) };
};

export interface PresentedRefresh {
  readonly sessionId: string;
  readonly secret: string;
}

/** The parts of a refresh token, or undefined for text that cannot be one. */
export const readRefreshToken = (token: string): PresentedRefresh | undefined => {
  const [, sessionId, secret] = /^([^.]+)\.([\w-]{43})$/.exec(token) ?? [];
  return sessionId !== undefined && secret !== undefined && isId('session', sessionId) ? { sessionId, secret } : undefined;
};

/**
 * A used token is a copy in someone else's hands, even when it has expired since. A token we do not know says nothing
 * about the session it names: were that a reason to end it, anyone who saw a session id could.
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

export type Presented =
  | { readonly verdict: 'refuse' }
  | { readonly verdict: 'rotate' | 'reuse'; readonly session: SessionRecord; readonly presented: PresentedRefresh };

/** What to do with a refresh token, in one round trip; none for text that cannot be one. */
export const presentRefresh = async (token: string, now: Date): Promise<Presented> => {
  const presented = readRefreshToken(token);
  if (!presented) return { verdict: 'refuse' };
  const { sessionId, secret } = presented;
  const found = await getAll([accountKey.session(sessionId), accountKey.refresh(sessionId, secret)]);
  const [session, kept] = found as [SessionRecord?, RefreshRecord?];
  const verdict = checkRefresh(session, kept, now);
  return session && verdict !== 'refuse' ? { verdict, session, presented } : { verdict: 'refuse' };
};

/** The next refresh token in place of this one, in one step: never both good, never neither. `lost` speaks for the loser of a race. */
export const rotateRefreshToken = (
  session: Session,
  { secret }: PresentedRefresh,
  now: Date,
  lost: () => Promise<ApiError>,
): { refreshToken: string; writes: readonly Write[] } => {
  const { refreshToken, write } = newRefreshToken(session, now);
  const alive: Write = {
    check: accountKey.session(session.id),
    condition: 'attribute_exists(pk) AND attribute_not_exists(revokedAt)',
    onConditionFailed: () => unauthorized('This session has ended; sign in again'),
  };
  const used = set(
    accountKey.refresh(session.id, secret),
    { usedAt: iso(now) },
    { expected: { usedAt: undefined }, onConditionFailed: lost },
  );
  return { refreshToken, writes: [alive, used, write] };
};
