/** A code or refresh token used twice: one of the two users is a thief, so the session ends for both, and the log says so. */
import { type Actor, auditEntry, type Origin } from '../audit/index.ts';
import { type ApiError, unauthorized } from '../contract/errors.ts';
import { commit, transactionMax } from '../platform/index.ts';
import { endSession } from './session.ts';

export interface Misuse {
  readonly action: 'auth.refresh_reused' | 'auth.code_reused';
  readonly sessionId: string;
  /** Whose session it was. */
  readonly user: Actor;
  /** The organizations they belong to, whose admins should know. */
  readonly organizationIds: readonly string[];
}

/** One write ends the session, one tells the user; the rest of a transaction is for organizations. */
const organizationsMax = transactionMax - 2;

/** Ends the session and answers what to tell the caller. Commits by itself, because the call is refused and changes nothing else. */
export const revokeMisusedSession = async (misuse: Misuse, origin: Origin, now: Date): Promise<ApiError> => {
  const { action, sessionId, user, organizationIds } = misuse;
  const refusal = unauthorized('This was used before; for safety the session has ended, sign in again');
  const resource = { type: 'session', id: sessionId };
  const scopes = [user.id, ...organizationIds.slice(0, organizationsMax)];
  await commit([
    endSession(sessionId, now, () => refusal),
    ...scopes.map((scope) => auditEntry(action, { scope, resource }, user, origin, now)),
  ]);
  return refusal;
};
