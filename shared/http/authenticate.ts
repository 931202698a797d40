/** Who says they are calling: a bearer token, an API key or the browser's cookie. Checks what needs no table. */

import { type AccessClaims, verifyAccessToken } from '../account/index.ts';
import { ApiError, unauthorized } from '../contract/errors.ts';
import { accountOf, looksLikeApiKey } from '../organization/index.ts';
import { env, envList, fingerprint } from '../platform/index.ts';
import { accessCookie } from './cookies.ts';
import type { Incoming } from './parse-request.ts';

export type Credentials =
  | { readonly kind: 'person'; readonly claims: AccessClaims }
  | { readonly kind: 'key'; readonly apiKey: string; readonly accountId: string };

export const authenticate = async (incoming: Incoming): Promise<Credentials> => {
  const header = incoming.headers.authorization;
  if (header === undefined) return authenticateCookie(incoming);
  const token = /^Bearer ([^\s,]+)$/i.exec(header)?.[1];
  if (!token) throw unauthorized('Send Authorization: Bearer <token>');
  if (looksLikeApiKey(token)) {
    const accountId = accountOf(token);
    if (!accountId) throw unauthorized('This API key is not valid');
    return { kind: 'key', apiKey: token, accountId };
  }
  return person(token);
};

const person = async (token: string): Promise<Credentials> => {
  const claims = await verifyAccessToken(token);
  if (!claims) throw unauthorized('This token is expired, revoked or malformed');
  return { kind: 'person', claims };
};

const authenticateCookie = async (incoming: Incoming): Promise<Credentials> => {
  const token = incoming.cookies[accessCookie];
  if (!token) throw unauthorized('Sign in first');
  refuseForeignOrigin(incoming);
  return person(token);
};

/** A browser attaches cookies to requests other sites make, so a call that changes something must come from a page of ours. */
export const refuseForeignOrigin = ({ method, headers }: Incoming): void => {
  if (method === 'GET') return;
  const ours = [...envList('ALLOWED_ORIGINS'), new URL(env('PUBLIC_URL')).origin];
  if (!ours.includes(headers.origin ?? '')) {
    throw new ApiError('FORBIDDEN', 'A call signed in by cookie must come from an allowed Origin');
  }
};

/** Counts a person by user, and a key by its fingerprint: guessing another's account id does not use up its requests. */
export const rateIdentity = (credentials: Credentials): string =>
  credentials.kind === 'person'
    ? credentials.claims.userId
    : `${credentials.accountId}#${fingerprint(credentials.apiKey).slice(0, 12)}`;
