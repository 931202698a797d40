import { SourceError } from '../grpc/source-error.ts';
import { integer, join, lastField } from './small-messages.ts';

/**
 * A read time is text such as `2025-01-31T08:00:00.123456Z`, in workflows and records too. Firestore reads with microsecond
 * precision; finer digits are truncated.
 */

/** Decodes a google.protobuf.Timestamp. */
export const decodeReadTime = (bytes: Buffer): string => {
  const seconds = lastField(bytes, 1)?.value ?? 0;
  const nanos = lastField(bytes, 2)?.value ?? 0;
  if (seconds > lastSecond || nanos >= 1e9) throw new SourceError('INTERNAL_ERROR', 'The source sent an invalid time.');
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${String(Math.floor(nanos / 1_000)).padStart(6, '0')}Z`;
};

/** Encodes a google.protobuf.Timestamp. */
export const encodeReadTime = (readTime: string): Buffer => {
  const match = pattern.exec(readTime);
  if (!match) throw new TypeError('expected a read time such as 2025-01-31T08:00:00.123456Z');
  const nanos = Number((match[2] ?? '').padEnd(9, '0'));
  return join(integer(1, Date.parse(`${match[1]}Z`) / 1_000), nanos === 0 ? undefined : integer(2, nanos));
};

/** Truncates to the minute: with point-in-time recovery whole minutes are readable for seven days, other times for an hour. */
export const wholeMinute = (readTime: string): string => `${readTime.slice(0, 16)}:00.000000Z`;

/** 9999-12-31T23:59:59Z, the maximum of the type. */
const lastSecond = 253_402_300_799;
const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;
