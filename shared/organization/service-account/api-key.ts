/** API keys: `fb_sa_<account id>_<43 base64url characters>`. The account id finds the record, the rest authenticates. */
import { timingSafeEqual } from 'node:crypto';
import { isId } from '../../contract/ids.ts';
import { fingerprint, iso, randomToken } from '../../platform/index.ts';
import type { ApiKeyRecord } from '../model/record.ts';

const prefix = 'fb_sa_';

export const newApiKey = (accountId: string): string => `${prefix}${accountId}_${randomToken()}`;

export const looksLikeApiKey = (token: string): boolean => token.startsWith(prefix);

/** The account id inside an API key; undefined if the key is malformed. Does not authenticate it. */
export const accountOf = (apiKey: string): string | undefined => {
  const match = /^fb_sa_(sa_[0-9A-Z]{26})_[A-Za-z0-9_-]{43}$/.exec(apiKey);
  return match?.[1] && isId('serviceAccount', match[1]) ? match[1] : undefined;
};

/** Whether the key is the account's current one, or the one before it within the overlap of a rotation. */
export const isKeyOf = (apiKey: string, { fingerprint: current, previous }: ApiKeyRecord, now: Date): boolean =>
  matches(apiKey, current) || (previous !== undefined && previous.expiresAt > iso(now) && matches(apiKey, previous.fingerprint));

const matches = (apiKey: string, storedFingerprint: string): boolean => {
  const given = Buffer.from(fingerprint(apiKey));
  const stored = Buffer.from(storedFingerprint);
  return given.length === stored.length && timingSafeEqual(given, stored);
};
