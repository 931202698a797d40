/** The one-time code that a client without cookies passes from the redirect to POST /auth/token. */
import { type ApiError, invalid, unauthorized } from '../contract/errors.ts';
import { loginCodeSeconds } from '../contract/limits.ts';
import {
  after,
  create,
  epochSeconds,
  fingerprint,
  get,
  iso,
  omitUndefined,
  randomToken,
  set,
  type Write,
} from '../platform/index.ts';
import { type AppRequest, accountKey, type CodeRecord, type SessionRecord } from './record.ts';

/** The code is bound to the redirect URI and to the PKCE challenge of the app's request. */
export const issueCode = (
  userId: string,
  { redirectUri, codeChallenge }: AppRequest,
  now: Date,
): { code: string; write: Write } => {
  const code = randomToken();
  const expiresAt = epochSeconds(after(now, loginCodeSeconds));
  const binding = omitUndefined({ redirectUri, codeChallenge });
  const record = {
    ...accountKey.code(code),
    userId,
    issuedAt: iso(now),
    expiresAt,
    ttl: expiresAt,
    ...binding,
  } satisfies CodeRecord;
  return { code, write: create(record) };
};

interface PresentedCode {
  readonly redirect_uri?: string | undefined;
  readonly code_verifier?: string | undefined;
}

/**
 * Throws unless the code is presented by the app it was issued to. A verifier for a code without a challenge is refused, too: an
 * attacker may have removed the challenge from the request (RFC 9700 section 2.1.1). Apps that know neither keep working.
 */
export const assertBinding = (
  { redirectUri, codeChallenge }: Pick<CodeRecord, 'redirectUri' | 'codeChallenge'>,
  { redirect_uri: presentedUri, code_verifier: verifier }: PresentedCode,
): void => {
  if (presentedUri !== undefined && presentedUri !== redirectUri) {
    throw unauthorized('The code was issued for another redirect_uri');
  }
  if (codeChallenge !== undefined && verifier === undefined) {
    throw invalid('code_verifier', 'is required, because the sign-in had a code_challenge');
  }
  // The S256 challenge is the base64url SHA-256 digest of the verifier.
  if (verifier !== undefined && fingerprint(verifier) !== codeChallenge) {
    throw unauthorized('The code_verifier does not match the code_challenge of the sign-in');
  }
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
