/** Access tokens of a Google service account, by a signed JWT (RFC 7523). Tokens are not cached here. */
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

/** Why no token was issued. The message is for the customer: of the response it contains only the error code. */
export class TokenError extends Error {
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;

  constructor(message: string, options: { isTransient: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TokenError';
    this.isTransient = options.isTransient;
  }
}

/** The longest lifetime that Google allows. */
const lifetimeSeconds = 3_600;

/** Requests a new token. The caller caches it, for one tenant only. */
export const googleAccessToken = async (account: GoogleAccount, scopes: readonly string[]): Promise<AccessToken> => {
  const url = env('GOOGLE_TOKEN_URL');
  const now = clock.now();
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertionOf(account, { scopes, audience: url, iat: epochSeconds(now) }),
  });
  const response = await fetchTrusted(url, { method: 'POST', body }).catch((cause: unknown) => {
    throw new TokenError('Google’s token service did not respond', { isTransient: true, cause });
  });
  const { access_token, expires_in, error } = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  if (response.ok && typeof access_token === 'string' && access_token !== '') {
    const seconds = Number(expires_in);
    return { token: access_token, expiresAtMs: now.getTime() + (seconds > 0 ? seconds : lifetimeSeconds) * 1_000 };
  }
  throw rejection(response.status, typeof error === 'string' && /^\w{1,40}$/.test(error) ? error : undefined);
};

const rejection = (status: number, error: string | undefined): TokenError => {
  // RFC 6749 section 5.2: a rejection is 400 or 401 and names its reason. Any other response says nothing about the key.
  const isRejected = (status === 400 || status === 401 || status === 403) && error !== undefined;
  return isRejected
    ? new TokenError(`Google rejected the service account: ${error}`, { isTransient: false })
    : new TokenError(`Google’s token service responded with status ${status}`, { isTransient: true });
};

/** Undefined if the text is not an RSA private key. */
export const readPrivateKey = (pem: string): KeyObject | undefined => {
  try {
    // A key that was pasted from a JSON key file contains `\n` instead of line breaks.
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
};

const assertionOf = (
  account: GoogleAccount,
  { scopes, audience, iat }: { readonly scopes: readonly string[]; readonly audience: string; readonly iat: number },
): string => {
  const key = readPrivateKey(account.privateKey);
  if (!key) throw new TokenError('The private key of the service account is not an RSA key', { isTransient: false });
  const text = [
    { alg: 'RS256', typ: 'JWT' },
    { iss: account.clientEmail, scope: scopes.join(' '), aud: audience, iat, exp: iat + lifetimeSeconds },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
};
