import type { Micros } from '../base/types.ts';
import type { WireReader } from '../proto/wire-reader.ts';
import { WireWriter } from '../proto/wire-writer.ts';
import { readTimestamp } from './value.ts';

export const second: Micros = 1_000_000;
export const minute: Micros = 60 * second;
export const hour: Micros = 60 * minute;
export const day: Micros = 24 * hour;

/** An encoded google.protobuf.Timestamp of a time that the service itself gives. */
export const encodeTimestamp = (micros: Micros): Buffer => {
  const seconds = Math.floor(micros / second);
  return encodeParts(seconds, (micros - seconds * second) * 1000);
};

/** The same Timestamp cut to the microsecond, in its two parts: as one number, microseconds are exact until the year 2255 only. */
export const cutTimestamp = (reader: WireReader): Buffer => {
  const { seconds, nanos } = readTimestamp(reader);
  return encodeParts(seconds, nanos - (nanos % 1000));
};

/** A time of the service, which is near enough for one number, cut to the microsecond. */
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
