/** Matches one field of an encoded document with a value, without decoding the other fields. */
import type { ErasureValue } from '../../archive/index.ts';
import { restValue } from '../document/rest-value.ts';
import { storedKey, valueKey } from '../document/value-key.ts';
import { MessageReader } from '../wire/message-reader.ts';

/** The field `map_value` of a Value, and the entries of a map. */
const mapField = 6;

/** The segments of a field path: `profile.email`, with backticks around names that contain dots: `` `a.b`.c ``. */
export const fieldSegments = (field: string): readonly string[] | undefined => {
  const segments: string[] = [];
  const pattern = /`((?:[^`\\]|\\.)+)`(?:\.|$)|([^`.]+)(?:\.|$)/gsy;
  for (let at = 0; at < field.length; at = pattern.lastIndex) {
    const match = pattern.exec(field);
    if (!match) return undefined;
    segments.push(match[1]?.replace(/\\(.)/gs, '$1') ?? match[2] ?? '');
  }
  return segments.length > 0 && !field.endsWith('.') ? segments : undefined;
};

/** Finds documents whose field equals a value, as a Firestore query does: 5 equals 5.0, and the order of map keys is ignored. */
export class FieldMatcher {
  readonly field: readonly string[];
  /** Of the value: equal values have equal keys. */
  readonly key: string;
  readonly #segments: readonly Buffer[];

  /** Throws TypeError if the field path or the value is invalid. */
  constructor(field: string, value: ErasureValue) {
    const segments = fieldSegments(field);
    if (!segments) throw new TypeError('not a field path');
    this.field = segments;
    this.#segments = segments.map((segment) => Buffer.from(segment));
    this.key = valueKey(value);
  }

  /** Whether an encoded google.firestore.v1.Document, with or without its name and times, has the value. */
  matches(document: Uint8Array): boolean {
    const reader = new MessageReader(document);
    return this.#inEntries(reader, reader.bytes.length, { entryField: 2, level: 0 });
  }

  /** Any of several entries of one name may match, although only the last one counts: nothing is shown by mistake. */
  #inEntries(reader: MessageReader, end: number, { entryField, level }: { entryField: number; level: number }): boolean {
    while (reader.next(end)) {
      if (reader.field !== entryField || reader.type !== 2) {
        reader.skip(end);
        continue;
      }
      const stop = reader.stop(end);
      if (this.#inEntry(reader, stop, level)) return true;
      reader.at = stop;
    }
    return false;
  }

  #inEntry(reader: MessageReader, end: number, level: number): boolean {
    const wanted = this.#segments[level];
    let isNamed = false;
    let value: { readonly at: number; readonly stop: number } | undefined;
    while (reader.next(end)) {
      if (reader.type !== 2) {
        reader.skip(end);
        continue;
      }
      const stop = reader.stop(end);
      if (reader.field === 1) isNamed = wanted?.equals(reader.bytes.subarray(reader.at, stop)) ?? false;
      else if (reader.field === 2) value = { at: reader.at, stop };
      reader.at = stop;
    }
    if (!isNamed || !value) return false;
    reader.at = value.at;
    if (level < this.#segments.length - 1) return this.#inMap(reader, value.stop, level + 1);
    return storedKey(restValue(reader, value.stop)) === this.key;
  }

  #inMap(reader: MessageReader, end: number, level: number): boolean {
    while (reader.next(end)) {
      if (reader.field !== mapField || reader.type !== 2) {
        reader.skip(end);
        continue;
      }
      const stop = reader.stop(end);
      if (this.#inEntries(reader, stop, { entryField: 1, level })) return true;
      reader.at = stop;
    }
    return false;
  }
}
