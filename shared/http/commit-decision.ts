import { type Actor, auditEntry, type Origin } from '../audit/index.ts';
import type { AuditAction } from '../contract/audit-actions.ts';
import { withRequestId } from '../event/index.ts';
import {
  type Change,
  commit,
  get,
  type Key,
  omitUndefined,
  retryOnConflict,
  StaleReadError,
  type Write,
} from '../platform/index.ts';
import { findStoredResponse, storeResponse } from './idempotency.ts';
import { jsonResponse, type Response } from './responses.ts';

/** A response, and the change to commit before it is sent. */
export interface Decision {
  readonly response: Response;
  /** A promise is awaited concurrently with the commit. */
  readonly cookies: readonly string[] | Promise<readonly string[]> | undefined;
  readonly change: Change | undefined;
  readonly actor: Actor | undefined;
}

export interface CallContext {
  readonly operation: string;
  readonly auditAction: AuditAction | undefined;
  /** Of the stored response, if the call has an Idempotency-Key. */
  readonly key: Key | undefined;
  readonly body: unknown;
  readonly origin: Origin;
  readonly now: Date;
}

const attemptsMax = 4;

/**
 * Re-runs the handler if its reads were stale. If a duplicate request with the same Idempotency-Key has committed meanwhile,
 * returns its stored response.
 */
export const commitDecision = (decide: () => Promise<Decision>, call: CallContext): Promise<Response> =>
  retryOnConflict({ attempts: attemptsMax, isRetryable: (error) => error instanceof StaleReadError }, async () => {
    try {
      const decision = await decide();
      const [cookies] = await Promise.all([decision.cookies, writesOf(decision, call).then(commit)]);
      return { ...decision.response, ...(cookies && { cookies: [...cookies] }) };
    } catch (error) {
      // Any failure (a slug now taken, an address now invited, a lost connection) may be caused by the duplicate request.
      const stored = call.key && (await get(call.key).catch(() => undefined));
      const earlier = await replayStoredResponse(stored, call.body, call.now);
      if (earlier) return earlier;
      throw error;
    }
  });

/** The response stored under the Idempotency-Key, marked as replayed. */
export const replayStoredResponse = async (...stored: Parameters<typeof findStoredResponse>): Promise<Response | undefined> => {
  const answer = await findStoredResponse(...stored);
  if (!answer) return undefined;
  return jsonResponse(answer.status, answer.body, {
    'idempotent-replayed': 'true',
    ...omitUndefined({ location: answer.location }),
  });
};

const writesOf = async ({ response, change, actor }: Decision, call: CallContext): Promise<readonly Write[]> => {
  if (!change) return [];
  const { operation, auditAction, key, body, origin, now } = call;
  const entries = change.audit.map((entry) => {
    if (!actor) throw new Error(`${operation} has an audit entry but no actor`);
    const action = entry.action ?? auditAction;
    if (!action) throw new Error(`${operation} has an audit entry but no action`);
    return auditEntry(action, { note: entry, actor, origin, now });
  });
  const { statusCode: status = 200, body: answer = '', headers } = response;
  const stored = key ? [await storeResponse({ key, body, now }, { status, body: answer, location: headers.location })] : [];
  return [...change.writes.map(withRequestId(origin.requestId)), ...entries, ...stored];
};
