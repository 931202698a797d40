import type { FilterSource } from '../../archive/index.ts';
import { MessageReader } from '../wire/message-reader.ts';
import { restValue } from './rest-value.ts';
import { storedKey } from './value-key.ts';

interface Name {
  readonly bytes: Buffer;
  /** The number of the field that ends here. */
  field: number | undefined;
  readonly inner: Name[];
}

/** The field `fields` of a Document, and the field `fields` of a map. */
const [ofDocument, ofMap] = [2, 1];
/** The field `map_value` of a Value. */
const mapField = 6;

/**
 * Finds the values of some fields of encoded documents without decoding the others. Of a field that is encoded twice it finds both
 * values, although only the last one counts: a search must not miss one.
 */
export class FieldKeys implements FilterSource {
  readonly fields: FilterSource['fields'];
  readonly #names: readonly Name[];

  constructor(fields: FilterSource['fields']) {
    this.fields = fields;
    this.#names = namesOf(fields);
  }

  /** Calls `add` with the number of a field and the key of a value. */
  collect(bytes: Uint8Array, start: number, end: number, add: (field: number, key: string) => void): void {
    let at = start;
    while (at < end) {
      const next = this.#otherEnd(bytes, at, end);
      if (next > 0) {
        at = next;
        continue;
      }
      const reader = new MessageReader(bytes);
      reader.at = at;
      collectIn(reader, { end, entryField: ofDocument, names: this.#names, isOne: true, add });
      at = reader.at;
    }
  }

  /**
   * Fast path: the end of an entry that is of none of the fields for sure, as almost all are: a short name and a value of less than
   * 16 KiB, and nothing else. 0 if it is to be looked at.
   */
  #otherEnd(bytes: Uint8Array, at: number, end: number): number {
    if (bytes[at] !== 0x12) return 0;
    const [low, high] = [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0];
    const from = low < 0x80 ? at + 2 : at + 3;
    const next = low < 0x80 ? from + low : high < 0x80 ? from + (low & 0x7f) + high * 128 : end + 1;
    const nameBytes = bytes[from + 1] ?? 0;
    if (next > end || bytes[from] !== 0x0a || nameBytes >= 0x80) return 0;
    const value = from + 2 + nameBytes;
    const [valueLow, valueHigh] = [bytes[value + 1] ?? 0, bytes[value + 2] ?? 0];
    if (bytes[value] !== 0x12 || (valueLow >= 0x80 && valueHigh >= 0x80)) return 0;
    const valueEnd = valueLow < 0x80 ? value + 2 + valueLow : value + 3 + (valueLow & 0x7f) + valueHigh * 128;
    if (valueEnd !== next) return 0;
    return this.#has(bytes, from + 2, nameBytes) ? 0 : next;
  }

  #has(bytes: Uint8Array, from: number, length: number): boolean {
    for (const { bytes: name } of this.#names) {
      if (name.length !== length) continue;
      let at = 0;
      while (at < length && name[at] === bytes[from + at]) at++;
      if (at === length) return true;
    }
    return false;
  }
}

const namesOf = (fields: FilterSource['fields']): readonly Name[] => {
  const names: Name[] = [];
  for (const [field, path] of fields.entries()) {
    let level = names;
    for (const [n, segment] of path.entries()) {
      const bytes = Buffer.from(segment);
      let name = level.find((one) => one.bytes.equals(bytes));
      if (!name) {
        name = { bytes, field: undefined, inner: [] };
        level.push(name);
      }
      if (n === path.length - 1) name.field = field;
      level = name.inner;
    }
  }
  return names;
};

interface Collecting {
  readonly end: number;
  readonly entryField: number;
  readonly names: readonly Name[];
  /** Ends after one field. */
  readonly isOne?: boolean;
  readonly add: (field: number, key: string) => void;
}

const collectIn = (reader: MessageReader, { end, entryField, names, isOne = false, add }: Collecting): void => {
  while (reader.next(end)) {
    if (reader.field === entryField && reader.type === 2) {
      const stop = reader.stop(end);
      collectEntry(reader, stop, names, add);
      reader.at = stop;
    } else reader.skip(end);
    if (isOne) return;
  }
};

/** Of a repeated name the last one counts, as in protobuf. */
const collectEntry = (reader: MessageReader, end: number, names: readonly Name[], add: Collecting['add']): void => {
  let name: Name | undefined;
  const values: { readonly at: number; readonly stop: number }[] = [];
  while (reader.next(end)) {
    if (reader.type !== 2) {
      reader.skip(end);
      continue;
    }
    const stop = reader.stop(end);
    if (reader.field === 1) {
      const [start, length] = [reader.at, stop - reader.at];
      name = names.find(({ bytes }) => bytes.length === length && reader.bytes.compare(bytes, 0, length, start, stop) === 0);
    } else if (reader.field === 2) values.push({ at: reader.at, stop });
    reader.at = stop;
  }
  if (!name) return;
  for (const value of values) {
    if (name.field !== undefined) {
      reader.at = value.at;
      const key = storedKey(restValue(reader, value.stop));
      if (key !== undefined) add(name.field, key);
    }
    if (name.inner.length === 0) continue;
    reader.at = value.at;
    collectMaps(reader, value.stop, name.inner, add);
  }
};

const collectMaps = (reader: MessageReader, end: number, names: readonly Name[], add: Collecting['add']): void => {
  while (reader.next(end)) {
    if (reader.field !== mapField || reader.type !== 2) {
      reader.skip(end);
      continue;
    }
    const stop = reader.stop(end);
    collectIn(reader, { end: stop, entryField: ofMap, names, add });
    reader.at = stop;
  }
};
