/**
 * The secret text of keys: `fb_sa_<account id>_<43 base64url characters>` of the service account, `fb_key_<key id>_<…>` of an API key.
 * The id finds the record, the rest authenticates.
 */
import { timingSafeEqual } from 'node:crypto';
import { isId } from '../../contract/ids.ts';
import { fingerprint, iso, randomToken } from '../../platform/index.ts';
import type { FingerprintRecord } from '../model/record.ts';

const prefixes = { serviceAccount: 'fb_sa_', apiKey: 'fb_key_' } as const;

/** `holderId`: the service account or the API key. */
export const newKeyToken = (holderId: string): string =>
  `${isId('apiKey', holderId) ? prefixes.apiKey : prefixes.serviceAccount}${holderId}_${randomToken()}`;

export const looksLikeKeyToken = (token: string): boolean => Object.values(prefixes).some((prefix) => token.startsWith(prefix));

/** The id inside a key; undefined if the key is malformed. Does not authenticate it. */
export const holderOf = (token: string): string | undefined => {
  const [, prefix, id = ''] = /^(fb_sa_|fb_key_)((?:sa|key)_[0-9A-Z]{26})_[A-Za-z0-9_-]{43}$/.exec(token) ?? [];
  return isId(prefix === prefixes.apiKey ? 'apiKey' : 'serviceAccount', id) ? id : undefined;
};

/** Whether the key is the current one, or the one before it within the overlap of a rotation. */
export const isKeyTokenOf = (token: string, { fingerprint: current, previous }: FingerprintRecord, now: Date): boolean =>
  matches(token, current) || (previous !== undefined && previous.expiresAt > iso(now) && matches(token, previous.fingerprint));

const matches = (token: string, storedFingerprint: string): boolean => {
  const given = Buffer.from(fingerprint(token));
  const stored = Buffer.from(storedFingerprint);
  return given.length === stored.length && timingSafeEqual(given, stored);
};
