/** A person ends one of their sessions, or all. The tokens of an ended session are refused at once. */
import { ApiError } from '../contract/errors.ts';
import { isId } from '../contract/ids.ts';
import { type AuditNote, conditionOf, getAll, iso, StaleReadError, transactionMax, type Write } from '../platform/index.ts';
import { accountKey, type RevokedSessionsRecord, type SessionRecord } from './record.ts';
import { isOver } from './session.ts';

interface OwnSession {
  readonly userId: string;
  readonly sessionId: string;
  /** The error if there is none: that for an id of another person is that of an unknown one. */
  readonly missing: () => ApiError;
}

/** An open session of the person, and when they last ended all. */
export const readOwnSession = async (
  { userId, sessionId, missing }: OwnSession,
  now: Date,
): Promise<{ session: SessionRecord; revoked: RevokedSessionsRecord | undefined }> => {
  const [session, revoked] = isId('session', sessionId)
    ? await getAll([accountKey.session(sessionId), accountKey.revokedSessions(userId)])
    : [];
  if (!session || session.userId !== userId || isOver(session, revoked, now)) throw missing();
  return { session, revoked };
};

export const sessionNotFound = (): ApiError => new ApiError('NOT_FOUND', 'You have no sign-in with this id, or it has ended');

interface RevokeAll {
  readonly userId: string;
  readonly exceptSessionId: string | null;
  /** The previous revocation, as read when the caller's own session was found to be open. */
  readonly previous: Pick<RevokedSessionsRecord, 'revokedAt' | 'exceptSessionId'> | undefined;
}

/**
 * Ends every session that exists now, also those that no list shows, with one write. Fails if another call has done so since
 * `previous` was read: it may have ended the session that is excepted here.
 */
export const revokeAllSessions = ({ userId, exceptSessionId, previous }: RevokeAll, now: Date): Write => {
  const revokedAt = previous && previous.revokedAt > iso(now) ? previous.revokedAt : iso(now);
  return {
    put: { ...accountKey.revokedSessions(userId), revokedAt, exceptSessionId },
    ...conditionOf(previous && { revokedAt: previous.revokedAt, exceptSessionId: previous.exceptSessionId }),
    onConditionFailed: () => new StaleReadError(),
  };
};

/** The rest of a transaction is for organizations. */
const organizationsMax = transactionMax - 10;

/** An entry in the person's own audit log, and in that of each of their organizations. */
export const auditEverywhere = (
  userId: string,
  organizationIds: readonly string[],
  entry: Omit<AuditNote, 'scope'>,
): readonly AuditNote[] => [userId, ...organizationIds.slice(0, organizationsMax)].map((scope) => ({ ...entry, scope }));
