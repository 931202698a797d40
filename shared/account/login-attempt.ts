/**
 * A sign-in under way. The table knows the state by its fingerprint and so counts it once; the PKCE verifier is kept by
 * nobody but the browser that began, in a cookie. The state alone, seen in a log or an address bar, is worth nothing.
 */
import { invalid } from '../contract/errors.ts';
import { loginAttemptSeconds } from '../contract/limits.ts';
import { after, create, epochSeconds, fingerprint, randomToken, takeItem, type Write } from '../platform/index.ts';
import { accountKey, type LoginRecord } from './record.ts';

export interface Login {
  readonly state: string;
  readonly verifier: string;
}

export const beginLogin = (redirectUri: string | undefined, now: Date): { login: Login; cookie: string; write: Write } => {
  const login = { state: randomToken(), verifier: randomToken() };
  const expiresAt = epochSeconds(after(now, loginAttemptSeconds));
  const record = {
    ...accountKey.login(login.state),
    expiresAt,
    ttl: expiresAt,
    ...(redirectUri !== undefined && { redirectUri }),
  };
  return { login, cookie: `${login.state}.${login.verifier}`, write: create(record satisfies LoginRecord) };
};

/** The ID token must answer this very attempt. Derived, so that there is one secret less to keep. */
export const nonceOf = ({ verifier }: Login): string => fingerprint(`nonce ${verifier}`);

/** What the browser's cookie says of its sign-in, if it is the one this state belongs to. */
export const matchLogin = (state: string | undefined, cookie: string | undefined): Login | undefined => {
  const [, begun, verifier] = /^([\w-]{43})\.([\w-]{43})$/.exec(cookie ?? '') ?? [];
  return begun !== undefined && verifier !== undefined && begun === state ? { state: begun, verifier } : undefined;
};

/** Ends the sign-in and tells how to go on. Once only, whatever comes of it: the same state again is refused. */
export const finishLogin = async (
  state: string | undefined,
  cookie: string | undefined,
  now: Date,
): Promise<{ login: Login; redirectUri: string | undefined }> => {
  const login = matchLogin(state, cookie);
  const record = login && ((await takeItem(accountKey.login(login.state))) as LoginRecord | undefined);
  if (!login || !record || record.expiresAt <= epochSeconds(now)) {
    throw invalid('state', 'is not of a sign-in begun in this browser in the last minutes; begin again');
  }
  return { login, redirectUri: record.redirectUri };
};
