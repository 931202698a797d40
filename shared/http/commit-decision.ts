/** Commits what a handler decided, and gives its answer only then. */
import { type Actor, auditEntry, type Origin } from '../audit/index.ts';
import { withRequestId } from '../event/index.ts';
import { type Change, commit, get, type Key, StaleReadError, type Write } from '../platform/index.ts';
import { findStoredResponse, storeResponse } from './idempotency.ts';
import { jsonResponse, type Response } from './responses.ts';

/** An answer, and the change that must be committed before it is given. */
export interface Decision {
  readonly response: Response;
  /** A promise is waited for beside the commit. */
  readonly cookies: readonly string[] | Promise<readonly string[]> | undefined;
  readonly change: Change | undefined;
  readonly actor: Actor | undefined;
}

export interface CallContext {
  readonly operation: string;
  readonly auditAction: string;
  /** Where the answer is kept, if the caller gave an Idempotency-Key. */
  readonly key: Key | undefined;
  readonly body: unknown;
  readonly origin: Origin;
  readonly now: Date;
}

const triesMax = 4;

/** A rule that was overtaken is decided anew; a call that finds its own twin has answered meanwhile gives that answer. */
export const commitDecision = async (decide: () => Promise<Decision>, call: CallContext): Promise<Response> => {
  for (let tries = 1; ; tries++) {
    try {
      const decision = await decide();
      const [cookies] = await Promise.all([decision.cookies, writesOf(decision, call).then(commit)]);
      return { ...decision.response, ...(cookies && { cookies: [...cookies] }) };
    } catch (error) {
      // Whatever it failed on (a slug now taken, an address now invited, a lost connection), the twin may be the reason.
      const stored = call.key && (await get(call.key).catch(() => undefined));
      const earlier = await replayStoredResponse(stored, call.body, call.now);
      if (earlier) return earlier;
      if (!(error instanceof StaleReadError) || tries === triesMax) throw error;
    }
  }
};

/** The answer stored under the caller's Idempotency-Key, marked as such. */
export const replayStoredResponse = async (...stored: Parameters<typeof findStoredResponse>): Promise<Response | undefined> => {
  const answer = await findStoredResponse(...stored);
  return answer && jsonResponse(answer.status, answer.body, { 'idempotent-replayed': 'true' });
};

const writesOf = async ({ response, change, actor }: Decision, call: CallContext): Promise<readonly Write[]> => {
  if (!change) return [];
  const { operation, auditAction, key, body, origin, now } = call;
  const entries = change.audit.map((entry) => {
    if (!actor) throw new Error(`${operation} changed something on nobody's behalf`);
    return auditEntry(auditAction, entry, actor, origin, now);
  });
  const answer = key
    ? [await storeResponse(key, body, { status: response.statusCode ?? 200, body: response.body ?? '' }, now)]
    : [];
  return [...change.writes.map(withRequestId(origin.requestId)), ...entries, ...answer];
};
