/** The one-time code that a client without cookies passes from the redirect to POST /auth/token. */
import type { ApiError } from '../contract/errors.ts';
import { loginCodeSeconds } from '../contract/limits.ts';
import { after, create, epochSeconds, get, randomToken, set, type Write } from '../platform/index.ts';
import { accountKey, type CodeRecord, type SessionRecord } from './record.ts';

export const issueCode = (userId: string, now: Date): { code: string; write: Write } => {
  const code = randomToken();
  const expiresAt = epochSeconds(after(now, loginCodeSeconds));
  return { code, write: create({ ...accountKey.code(code), userId, expiresAt, ttl: expiresAt } satisfies CodeRecord) };
};

/** A used code is a replay, even after it has expired. */
export const checkCode = (record: CodeRecord | undefined, now: Date): 'redeem' | 'refuse' | 'replay' => {
  if (!record) return 'refuse';
  if (record.sessionId !== undefined) return 'replay';
  return record.expiresAt > epochSeconds(now) ? 'redeem' : 'refuse';
};

export const readCode = (code: string): Promise<CodeRecord | undefined> => get(accountKey.code(code));

/** Marks the code as used and keeps it for the session's lifetime. `lost` gives the error if another call used it first. */
export const redeemCode = (code: string, session: Pick<SessionRecord, 'id' | 'endsAt'>, lost: () => Promise<ApiError>): Write =>
  set(
    accountKey.code(code),
    { sessionId: session.id, ttl: session.endsAt },
    { expected: { sessionId: undefined }, onConditionFailed: lost },
  );
