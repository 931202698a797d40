/** A person ends one of their sessions, or all. The tokens of an ended session are refused at once. */
import { ApiError } from '../contract/errors.ts';
import { isId } from '../contract/ids.ts';
import { type AuditNote, getAll, iso, transactionMax, type Write } from '../platform/index.ts';
import { accountKey, type SessionRecord } from './record.ts';
import { isOver } from './session.ts';

/** The error for an id of another person is that of an unknown one. */
export const readOwnSession = async (userId: string, sessionId: string, now: Date): Promise<SessionRecord> => {
  const [session, revoked] = isId('session', sessionId)
    ? await getAll([accountKey.session(sessionId), accountKey.revokedSessions(userId)])
    : [];
  if (!session || session.userId !== userId || isOver(session, revoked, now)) throw sessionNotFound();
  return session;
};

export const sessionNotFound = (): ApiError => new ApiError('NOT_FOUND', 'You have no sign-in with this id, or it has ended');

/** Ends every session that exists now, also those that no list shows, with one write. */
export const revokeAllSessions = (userId: string, exceptSessionId: string | null, now: Date): Write => ({
  put: { ...accountKey.revokedSessions(userId), revokedAt: iso(now), exceptSessionId },
});

/** The rest of a transaction is for organizations. */
const organizationsMax = transactionMax - 10;

/** An entry in the person's own audit log, and in that of each of their organizations. */
export const auditEverywhere = (
  userId: string,
  organizationIds: readonly string[],
  entry: Omit<AuditNote, 'scope'>,
): readonly AuditNote[] => [userId, ...organizationIds.slice(0, organizationsMax)].map((scope) => ({ ...entry, scope }));
