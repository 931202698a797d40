/**
 * Google's token endpoint for service accounts (RFC 7523): exchanges a signed assertion for an access token.
 * - Any account and key is accepted, because the signature does not reveal the public key.
 * - An account whose key was created here must sign with that key.
 * - An account whose address begins with `denied` is refused like a disabled one.
 */
import { createPublicKey, generateKeyPair, randomBytes, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { State } from '../../base/stage-state.ts';

export const googleTokenPath = '/google/token';

interface GoogleToken {
  /** Answers a form posted to the token URL. */
  token(form: URLSearchParams): Answer;
  /** Creates a key for the account and stores the public half. The answer is a key file as in Google's console. */
  makeKey(clientEmail: string): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const kind = 'google-account';
const lifetimeSeconds = 3_599;
const skewSeconds = 60;

export const openGoogleToken = (tokenUrl: string, state: State): GoogleToken => ({
  token: (form) => {
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return refuse('unsupported_grant_type', 'Invalid grant_type');
    const flaw = flawOf(form.get('assertion') ?? '', tokenUrl, state);
    if (flaw) return refuse('invalid_grant', flaw);
    const access_token = `local-google.${randomBytes(24).toString('base64url')}`;
    return { status: 200, body: { access_token, expires_in: lifetimeSeconds, token_type: 'Bearer' } };
  },
  makeKey: async (clientEmail) => {
    const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 });
    state.set(kind, clientEmail, publicKey.export({ type: 'spki', format: 'pem' }));
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    return { status: 200, body: { type: 'service_account', client_email: clientEmail, private_key, token_uri: tokenUrl } };
  },
});

const refuse = (error: string, error_description: string): Answer => ({ status: 400, body: { error, error_description } });

const flawOf = (assertion: string, tokenUrl: string, state: State): string | undefined => {
  const [header = '', payload = '', signature = '', ...rest] = assertion.split('.');
  const [{ alg }, { iss, aud, scope, iat, exp }] = [read(header), read(payload)];
  if (alg !== 'RS256' || signature === '' || rest.length > 0) return 'Invalid JWT: not signed with RS256.';
  if (typeof iss !== 'string' || !iss.includes('@')) return 'Invalid JWT: iss must be the e-mail address of an account.';
  if (aud !== tokenUrl) return `Invalid JWT: aud must be ${tokenUrl}.`;
  if (typeof scope !== 'string' || scope === '') return 'Invalid JWT: scope is missing.';
  const now = Date.now() / 1_000;
  const [begin, end] = [Number(iat), Number(exp)];
  if (!(begin <= now + skewSeconds && end > now - skewSeconds && end - begin <= 3_600))
    return 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.';
  if (iss.startsWith('denied')) return 'Invalid grant: account not found';
  const known = state.get<string>(kind, iss);
  const text = Buffer.from(`${header}.${payload}`);
  const isSigned = !known || verify('RSA-SHA256', text, createPublicKey(known), Buffer.from(signature, 'base64url'));
  return isSigned ? undefined : 'Invalid JWT Signature.';
};

const read = (part: string): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString())) as Record<string, unknown>;
  } catch {
    return {};
  }
};
