/** Reads the credentials of a call: bearer token, API key or cookie. Checks only what needs no table. */
import { type AccessClaims, verifyAccessToken } from '../account/index.ts';
import { ApiError, unauthorized } from '../contract/errors.ts';
import { holderOf, looksLikeKeyToken } from '../organization/index.ts';
import { env, envList, fingerprint } from '../platform/index.ts';
import { accessCookie } from './cookies.ts';
import type { Incoming } from './parse-request.ts';

export type CallerCredentials =
  | { readonly kind: 'person'; readonly claims: AccessClaims; readonly isCookie: boolean }
  | { readonly kind: 'key'; readonly apiKey: string; readonly holderId: string };

export const authenticate = async (incoming: Incoming): Promise<CallerCredentials> => {
  const header = incoming.headers.authorization;
  if (header === undefined) return authenticateCookie(incoming);
  const token = /^Bearer ([^\s,]+)$/i.exec(header)?.[1];
  if (!token) throw unauthorized('The header Authorization must be Bearer <access token or API key>');
  if (looksLikeKeyToken(token)) {
    const holderId = holderOf(token);
    if (!holderId) throw unauthorized('Invalid API key');
    return { kind: 'key', apiKey: token, holderId };
  }
  return person(token, false);
};

const person = async (token: string, isCookie: boolean): Promise<CallerCredentials> => {
  const claims = await verifyAccessToken(token);
  if (!claims) throw unauthorized('The token is expired, revoked or malformed');
  return { kind: 'person', claims, isCookie };
};

const authenticateCookie = async (incoming: Incoming): Promise<CallerCredentials> => {
  const token = incoming.cookies[accessCookie];
  if (!token) throw unauthorized('Credentials are missing: send the header Authorization: Bearer <access token or API key>');
  refuseForeignOrigin(incoming);
  return person(token, true);
};

/** CSRF protection: browsers attach cookies to requests of other sites, so a call that changes something needs an allowed Origin. */
export const refuseForeignOrigin = ({ method, headers }: Incoming): void => {
  if (method === 'GET' || method === 'HEAD') return;
  const ours = [...envList('ALLOWED_ORIGINS'), new URL(env('PUBLIC_URL')).origin];
  if (!ours.includes(headers.origin ?? '')) {
    throw new ApiError('FORBIDDEN', 'A call authenticated by cookie must come from an allowed Origin');
  }
};

/** Users are counted by id, keys by fingerprint: guessing an id does not use up its requests. */
export const rateIdentity = (credentials: CallerCredentials): string =>
  credentials.kind === 'person'
    ? credentials.claims.userId
    : `${credentials.holderId}#${fingerprint(credentials.apiKey).slice(0, 12)}`;
