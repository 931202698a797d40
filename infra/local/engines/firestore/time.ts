import type { Micros } from './parts.ts';
import { readTimestamp } from './value.ts';
import type { WireReader } from './wire.ts';
import { WireWriter } from './wire-writer.ts';

export const second: Micros = 1_000_000;
export const minute: Micros = 60 * second;
export const hour: Micros = 60 * minute;
export const day: Micros = 24 * hour;

/** An encoded google.protobuf.Timestamp. */
export const encodeTimestamp = (micros: Micros): Buffer => {
  const seconds = Math.floor(micros / second);
  const nanos = (micros - seconds * second) * 1000;
  const writer = new WireWriter();
  if (seconds !== 0) writer.varint(1, seconds);
  if (nanos !== 0) writer.varint(2, nanos);
  return writer.finish();
};

/** A Timestamp cut to the microsecond. */
export const readTimestampMicros = (reader: WireReader): Micros => {
  const { seconds, nanos } = readTimestamp(reader);
  return seconds * second + Math.floor(nanos / 1000);
};
