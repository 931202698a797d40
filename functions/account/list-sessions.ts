/** Apart from the other calls about sign-ins: it alone looks up countries. */
import { listSessions, noteSessionUse, readOwnSession, sessionData, sessionEnded } from '../../shared/account/index.ts';
import { sessions } from '../../shared/contract/endpoints/auth.ts';
import { handle } from '../../shared/http/index.ts';

export const list = handle(sessions.list, async ({ user: { userId, sessionId }, page, origin, now }) => {
  // A session of a version without a list is found by its use, and this may be the first one.
  const { session } = await readOwnSession({ userId, sessionId, missing: sessionEnded }, now);
  await noteSessionUse(session, origin, now);
  const { items, next } = await listSessions(userId, page, now);
  return { items: await Promise.all(items.map((item) => sessionData(item, sessionId))), next };
});
