import type { Micros } from '../base/types.ts';
import type { WireReader } from '../proto/wire-reader.ts';
import { WireWriter } from '../proto/wire-writer.ts';
import { readTimestamp } from './value.ts';

export const second: Micros = 1_000_000;
export const minute: Micros = 60 * second;
export const hour: Micros = 60 * minute;
export const day: Micros = 24 * hour;

/** Encodes a server time as google.protobuf.Timestamp. */
export const encodeTimestamp = (micros: Micros): Buffer => {
  const seconds = Math.floor(micros / second);
  return encodeParts(seconds, (micros - seconds * second) * 1000);
};

/** Truncates a Timestamp to microseconds, in two parts: as one number, microseconds are exact only until the year 2255. */
export const cutTimestamp = (reader: WireReader): Buffer => {
  const { seconds, nanos } = readTimestamp(reader);
  return encodeParts(seconds, nanos - (nanos % 1000));
};

/** Reads a server time, which fits into one number, truncated to microseconds. */
export const readTimestampMicros = (reader: WireReader): Micros => {
  const { seconds, nanos } = readTimestamp(reader);
  return seconds * second + Math.floor(nanos / 1000);
};

const encodeParts = (seconds: number, nanos: number): Buffer => {
  const writer = new WireWriter();
  if (seconds !== 0) writer.varint(1, seconds);
  if (nanos !== 0) writer.varint(2, nanos);
  return writer.finish();
};
