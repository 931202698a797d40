/** Random ids, tokens and numbers. No other file uses randomness. */
import { createHash, randomBytes } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory, TIME_MAX, ulid as ulidOf } from 'ulid';
import { type IdKind, idPrefixes } from '../contract/ids.ts';
import { clock } from './clock.ts';

// Monotonic: ids of the same millisecond sort in the order they were generated.
const ulid = monotonicFactory(() => randomFraction());

export const newId = (kind: IdKind, at: Date = clock.now()): string => `${idPrefixes[kind]}_${newUlid(at)}`;

/** An id with a time in the past. The monotonic generator would raise it to the time of its last id. */
export const newIdOf = (kind: IdKind, past: Date): string =>
  `${idPrefixes[kind]}_${ulidOf(past.getTime(), () => randomFraction())}`;

/** The id that belongs to a time and a name: the same in every attempt, so that a repeated write finds the first. */
export const idFor = (kind: IdKind, at: Date, name: string): string => {
  const digest = createHash('sha256').update(name).digest();
  const text = Array.from(digest.subarray(0, 16), (byte) => crockford[byte & 31]).join('');
  return `${idPrefixes[kind]}_${encodeTime(at.getTime())}${text}`;
};

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** An id without a prefix, for names that are not resource ids. */
export const newUlid = (at: Date = clock.now()): string => ulid(at.getTime());

/** The smallest and the greatest id of this kind between two times, both inclusive. */
export const idBounds = (kind: IdKind, from: Date, to: Date): { first: string; last: string } => {
  const bound = (date: Date, random: string): string =>
    `${idPrefixes[kind]}_${encodeTime(Math.min(Math.max(date.getTime(), 0), TIME_MAX))}${random.repeat(16)}`;
  return { first: bound(from, '0'), last: bound(to, 'Z') };
};

/** When an id was made, in ms. Of a key that ends with an id, too. */
export const timeOfId = (id: string): number => decodeTime(id.slice(-26));

/** 256 random bits as 43 base64url characters. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** Cryptographically secure. */
export const secureRandomBytes = (bytes: number): Buffer => randomBytes(bytes);

/** At least 0 and below 1, for jitter. */
export const randomFraction = (): number => randomBytes(4).readUInt32BE() / 0x1_0000_0000;

/** A hash that identifies a secret in the table without revealing it. */
export const fingerprint = (secret: string | Uint8Array): string => createHash('sha256').update(secret).digest('base64url');
