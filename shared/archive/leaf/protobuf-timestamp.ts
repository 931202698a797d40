/** Encodes google.protobuf.Timestamp: seconds since 1970 (possibly negative) and nanoseconds. */

/** A point in time with nanosecond precision. */
export interface ProtobufTimestamp {
  readonly seconds: number;
  readonly nanos: number;
}

/** Parses an RFC 3339 time in UTC with up to nanosecond precision. */
export const parseMoment = (text: string): ProtobufTimestamp => {
  const match = momentPattern.exec(text);
  if (!match) throw new TypeError('expected a UTC time such as 2025-01-31T08:00:00.123456Z');
  return { seconds: Date.parse(`${match[1]}Z`) / 1_000, nanos: Number((match[2] ?? '').padEnd(9, '0')) };
};
const momentPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

/** Whether the columns can hold the time. They exceed the years 1 to 9999 that the type allows. */
export const isStorable = (seconds: number, nanos: number): boolean =>
  Number.isInteger(seconds) && seconds >= -(2 ** 39) && seconds < 2 ** 39 && Number.isInteger(nanos) && nanos >= 0 && nanos < 1e9;

/** Maximum size of a timestamp field: tag, length, and two varints with their tags. */
export const maxFieldBytes = 2 + 11 + 6;

/** Writes the field in canonical form: shortest varints, zeros omitted. Returns its end. */
export const writeTimestampField = (out: Uint8Array, at: number, tag: number, seconds: number, nanos: number): number => {
  out[at] = tag;
  let end = at + 2;
  if (seconds !== 0) {
    out[end++] = 0x08;
    end = seconds > 0 ? writeVarint(out, end, seconds) : writeNegative(out, end, seconds);
  }
  if (nanos !== 0) {
    out[end++] = 0x10;
    end = writeVarint(out, end, nanos);
  }
  out[at + 1] = end - at - 2;
  return end;
};

/** Writes an integer from 0 to 2^53; returns its end. */
export const writeVarint = (out: Uint8Array, at: number, value: number): number => {
  let end = at;
  let rest = value;
  for (; rest >= 0x1000_0000; rest = Math.floor(rest / 128)) out[end++] = (rest % 128) | 0x80;
  for (; rest >= 0x80; rest >>>= 7) out[end++] = (rest & 0x7f) | 0x80;
  out[end++] = rest;
  return end;
};

/** Negative numbers take ten bytes: 64-bit two's complement. */
const writeNegative = (out: Uint8Array, at: number, value: number): number => {
  let rest = BigInt.asUintN(64, BigInt(value));
  for (let i = 0; i < 9; i++, rest >>= 7n) out[at + i] = Number(rest & 0x7fn) | 0x80;
  out[at + 9] = Number(rest);
  return at + 10;
};
