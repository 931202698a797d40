/** Access tokens of a Google service account, for its own signed word (RFC 7523): no library, no token kept here. */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { clock, epochSeconds } from '../clock.ts';
import { env } from '../env.ts';
import { fetchTrusted } from './fetch-trusted.ts';

export interface GoogleAccount {
  readonly clientEmail: string;
  /** PEM, RSA. */
  readonly privateKey: string;
}

export interface AccessToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Why no token could be had. The message is fit for the customer: no key, no token, nothing of the answer but its code. */
export class TokenError extends Error {
  /** True where the same may succeed later: no answer, or one that says to come again. False: refused for good. */
  readonly isTransient: boolean;

  constructor(message: string, options: { isTransient: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TokenError';
    this.isTransient = options.isTransient;
  }
}

/** The longest Google allows. */
const lifetimeSeconds = 3_600;

/** Asks anew at every call; whoever asks keeps the token as long as it lives, and never for another tenant. */
export const googleAccessToken = async (account: GoogleAccount, scopes: readonly string[]): Promise<AccessToken> => {
  const url = env('GOOGLE_TOKEN_URL');
  const now = clock.now();
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertionOf(account, scopes, url, epochSeconds(now)),
  });
  const answer = await fetchTrusted(url, { method: 'POST', body }).catch((cause: unknown) => {
    throw new TokenError('Google’s token service did not answer', { isTransient: true, cause });
  });
  const { access_token, expires_in, error } = (await answer.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  if (answer.ok && typeof access_token === 'string' && access_token !== '') {
    const seconds = Number(expires_in);
    return { token: access_token, expiresAtMs: now.getTime() + (seconds > 0 ? seconds : lifetimeSeconds) * 1_000 };
  }
  throw refusal(answer.status, typeof error === 'string' && /^\w{1,40}$/.test(error) ? error : undefined);
};

const refusal = (status: number, error: string | undefined): TokenError => {
  // RFC 6749 section 5.2: a refusal is 400 or 401 and names its reason. Whatever else comes is no verdict on the key.
  const isRefused = (status === 400 || status === 401 || status === 403) && error !== undefined;
  return isRefused
    ? new TokenError(`Google refused the service account: ${error}`, { isTransient: false })
    : new TokenError(`Google’s token service answered with status ${status}`, { isTransient: true });
};

/** Undefined for text that is no RSA private key: what a caller gives is looked at before it is kept. */
export const readPrivateKey = (pem: string): KeyObject | undefined => {
  try {
    // Key files are JSON: pasted from one, line ends come as a backslash and an n.
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
};

const assertionOf = (account: GoogleAccount, scopes: readonly string[], audience: string, iat: number): string => {
  const key = readPrivateKey(account.privateKey);
  if (!key) throw new TokenError('The service account’s private key is not an RSA key', { isTransient: false });
  const text = [
    { alg: 'RS256', typ: 'JWT' },
    { iss: account.clientEmail, scope: scopes.join(' '), aud: audience, iat, exp: iat + lifetimeSeconds },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
};
