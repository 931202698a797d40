/** New ids and other random text. The only place that draws randomness. */
import { createHash, randomBytes } from 'node:crypto';
import { encodeTime, monotonicFactory, TIME_MAX, ulid as ulidOf } from 'ulid';
import { type IdKind, idPrefixes } from '../contract/ids.ts';
import { clock } from './clock.ts';

// Monotonic: two ids of one millisecond still sort in the order they were made.
const ulid = monotonicFactory(() => randomFraction());

export const newId = (kind: IdKind, at: Date = clock.now()): string => `${idPrefixes[kind]}_${newUlid(at)}`;

/** An id that carries a moment of the past: the maker of all others would give it the time of its own last one. */
export const newIdOf = (kind: IdKind, past: Date): string =>
  `${idPrefixes[kind]}_${ulidOf(past.getTime(), () => randomFraction())}`;

/** The part of an id that tells it apart: for names that are nobody's id. */
export const newUlid = (at: Date = clock.now()): string => ulid(at.getTime());

/** The least and the greatest id of that kind that could be made between two moments, both inclusive. */
export const idBounds = (kind: IdKind, from: Date, to: Date): { first: string; last: string } => {
  const bound = (moment: Date, random: string): string =>
    `${idPrefixes[kind]}_${encodeTime(Math.min(Math.max(moment.getTime(), 0), TIME_MAX))}${random.repeat(16)}`;
  return { first: bound(from, '0'), last: bound(to, 'Z') };
};

/** 256 random bits as 43 base64url characters. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** Bytes that nobody can predict. */
export const secureRandomBytes = (bytes: number): Buffer => randomBytes(bytes);

/** From 0 up to, and without, 1: for waits that must not all end at the same moment. */
export const randomFraction = (): number => randomBytes(4).readUInt32BE() / 0x1_0000_0000;

/** What is kept of a secret: enough to recognise it, useless to anyone who reads the table. */
export const fingerprint = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
