/** A code or refresh token used twice may have been stolen, so the session is revoked for both users and audited. */
import { type Actor, auditEntry, type Origin } from '../audit/index.ts';
import { type ApiError, unauthorized } from '../contract/errors.ts';
import { commit, transactionMax } from '../platform/index.ts';
import { endSession } from './session.ts';

export interface Misuse {
  readonly action: 'auth.refresh_reused' | 'auth.code_reused' | 'auth.device_code_reused';
  readonly sessionId: string;
  readonly user: Actor;
  /** The user's organizations, whose audit logs get an entry, too. */
  readonly organizationIds: readonly string[];
}

/** One write revokes the session, one is the user's audit entry; the rest of a transaction is for organizations. */
const organizationsMax = transactionMax - 2;

/** Revokes the session and returns the error for the caller. Commits by itself, because the call fails. */
export const revokeMisusedSession = async (misuse: Misuse, origin: Origin, now: Date): Promise<ApiError> => {
  const { action, sessionId, user, organizationIds } = misuse;
  const refusal = unauthorized('This code or token was already used. For security the session was revoked. Sign in again');
  const resource = { type: 'session', id: sessionId };
  const scopes = [user.id, ...organizationIds.slice(0, organizationsMax)];
  await commit([
    endSession(sessionId, now, () => refusal),
    ...scopes.map((scope) => auditEntry(action, { note: { scope, resource }, actor: user, origin, now })),
  ]);
  return refusal;
};
