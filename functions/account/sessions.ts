import {
  auditEverywhere,
  endSession,
  openSessions,
  readOwnSession,
  revokeAllSessions,
  sessionEnded,
  sessionNotFound,
} from '../../shared/account/index.ts';
import { sessions } from '../../shared/contract/endpoints/auth.ts';
import { clearedSessionCookies, handle } from '../../shared/http/index.ts';
import { organizationIdsOf } from '../../shared/organization/index.ts';

export const revoke = handle(sessions.revoke, async ({ user, params, now }) => {
  const { userId } = user;
  const [{ session }, organizationIds] = await Promise.all([
    readOwnSession({ userId, sessionId: params.sessionId, missing: sessionNotFound }, now),
    organizationIdsOf(userId),
  ]);
  const { id, kind = null, name = null } = session;
  const resource = { type: 'session', id };
  return {
    message: 'The sign-in has ended',
    ...(id === user.sessionId && { cookies: clearedSessionCookies }),
    change: {
      writes: [endSession(id, now, sessionNotFound)],
      audit: auditEverywhere(userId, organizationIds, { resource, details: { kind, name } }),
    },
  };
});

export const revokeAll = handle(sessions.revokeAll, async ({ user: { userId, sessionId }, body: { exceptCurrent }, now }) => {
  const [{ revoked: previous }, ids, organizationIds] = await Promise.all([
    // A concurrent call may have ended the caller's own session since it was authorized.
    readOwnSession({ userId, sessionId, missing: sessionEnded }, now),
    openIds(userId, now),
    organizationIdsOf(userId),
  ]);
  const revoked = ids.filter((id) => !exceptCurrent || id !== sessionId).length;
  const resource = { type: 'user', id: userId };
  return {
    data: { revoked },
    ...(!exceptCurrent && { cookies: clearedSessionCookies }),
    change: {
      writes: [revokeAllSessions({ userId, exceptSessionId: exceptCurrent ? sessionId : null, previous }, now)],
      audit: auditEverywhere(userId, organizationIds, { resource, details: { revoked, exceptCurrent } }),
    },
  };
});

const openIds = async (userId: string, now: Date): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { session } of openSessions(userId, now)) ids.push(session.id);
  return ids;
};
