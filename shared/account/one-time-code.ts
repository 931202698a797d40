/** Our own one-time code: what a client that may not hold cookies carries from the redirect to POST /auth/token. */
import type { ApiError } from '../contract/errors.ts';
import { loginCodeSeconds } from '../contract/limits.ts';
import { after, create, epochSeconds, get, randomToken, set, type Write } from '../platform/index.ts';
import { accountKey, type CodeRecord, type SessionRecord } from './record.ts';

export const issueCode = (userId: string, now: Date): { code: string; write: Write } => {
  const code = randomToken();
  const expiresAt = epochSeconds(after(now, loginCodeSeconds));
  return { code, write: create({ ...accountKey.code(code), userId, expiresAt, ttl: expiresAt } satisfies CodeRecord) };
};

/** A code that opened a session once is a replay ever after, also past its minute. */
export const checkCode = (record: CodeRecord | undefined, now: Date): 'redeem' | 'refuse' | 'replay' => {
  if (!record) return 'refuse';
  if (record.sessionId !== undefined) return 'replay';
  return record.expiresAt > epochSeconds(now) ? 'redeem' : 'refuse';
};

export const readCode = async (code: string): Promise<CodeRecord | undefined> => await get(accountKey.code(code));

/** Marks the code as used for this session, and keeps it as long as the session can live. `lost` speaks for the loser of a race. */
export const redeemCode = (code: string, session: Pick<SessionRecord, 'id' | 'endsAt'>, lost: () => Promise<ApiError>): Write =>
  set(
    accountKey.code(code),
    { sessionId: session.id, ttl: session.endsAt },
    { expected: { sessionId: undefined }, onConditionFailed: lost },
  );
