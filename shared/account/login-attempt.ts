/**
 * A sign-in in progress. The table stores the fingerprint of the state, which can be used once. The PKCE verifier is stored only in
 * a cookie of the browser that started, so a state leaked through a log or an address bar is worthless.
 */
import { invalid } from '../contract/errors.ts';
import { loginAttemptSeconds } from '../contract/limits.ts';
import { after, create, epochSeconds, fingerprint, omitUndefined, randomToken, takeItem, type Write } from '../platform/index.ts';
import { type AppRequest, accountKey, type LoginRecord } from './record.ts';

export interface Login {
  readonly state: string;
  readonly verifier: string;
}

export const beginLogin = (app: AppRequest | undefined, now: Date): { login: Login; cookie: string; write: Write } => {
  const login = { state: randomToken(), verifier: randomToken() };
  const expiresAt = epochSeconds(after(now, loginAttemptSeconds));
  const record = { ...accountKey.login(login.state), expiresAt, ttl: expiresAt, ...omitUndefined({ app }) };
  return { login, cookie: `${login.state}.${login.verifier}`, write: create(record satisfies LoginRecord) };
};

/** Binds the ID token to this attempt. Derived, so that it need not be stored. */
export const nonceOf = ({ verifier }: Login): string => fingerprint(`nonce ${verifier}`);

/** The sign-in of the browser's cookie, if the state belongs to it. */
export const matchLogin = (state: string | undefined, cookie: string | undefined): Login | undefined => {
  const [, started, verifier] = /^([\w-]{43})\.([\w-]{43})$/.exec(cookie ?? '') ?? [];
  return started !== undefined && verifier !== undefined && started === state ? { state: started, verifier } : undefined;
};

/** Ends the sign-in. A state can be used once, whatever the outcome. */
export const finishLogin = async (
  state: string | undefined,
  cookie: string | undefined,
  now: Date,
): Promise<{ login: Login; app: AppRequest | undefined }> => {
  const login = matchLogin(state, cookie);
  const record = login && (await takeItem(accountKey.login(login.state)));
  if (!login || !record || record.expiresAt <= epochSeconds(now)) {
    throw invalid('state', 'does not belong to a recent sign-in of this browser. Start again');
  }
  return { login, app: record.app ?? (record.redirectUri === undefined ? undefined : { redirectUri: record.redirectUri }) };
};
