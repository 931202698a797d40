import { broken, MessageReader } from '../wire/message-reader.ts';
import { addEntry, noFields, type RestFields, type RestValue, restTime } from './rest-value.ts';

/** A document as the Firestore REST API writes it; `fields` is there also where there are none. */
export interface RestDocument {
  readonly name: string;
  readonly fields: RestFields;
  readonly createTime?: string;
  readonly updateTime?: string;
}

/**
 * The JSON form of an encoded google.firestore.v1.Document: 64-bit integers as text, NaN and infinities as text, bytes as
 * base64, times to the nanosecond, `-0` as such. It is made to be written by `JSON.stringify`, which keeps all of that.
 */
export const restDocument = (encoded: Uint8Array): RestDocument => {
  const reader = new MessageReader(encoded);
  const end = reader.bytes.length;
  const fields = noFields();
  let name = '';
  let createTime: string | undefined;
  let updateTime: string | undefined;
  while (reader.next(end)) {
    if (reader.type !== 2 || reader.field > 4) {
      reader.skip(end);
      continue;
    }
    const stop = reader.stop(end);
    if (reader.field === 1) name = reader.text(stop);
    else if (reader.field === 2) {
      if (!addEntry(fields, reader, stop, 0)) throw broken();
    } else if (reader.field === 3) createTime = restTime(reader, stop);
    else updateTime = restTime(reader, stop);
    reader.at = stop;
  }
  return { name, fields, ...(createTime !== undefined && { createTime }), ...(updateTime !== undefined && { updateTime }) };
};

/** Whether two encoded documents hold the same fields; the order of a map means nothing, the kind of a number does. */
export const sameFields = (a: Uint8Array, b: Uint8Array): boolean =>
  sameBytes(a, b) || sameValues(restDocument(a).fields, restDocument(b).fields);

/** The same for fields, or values, in their JSON form. */
export const sameValues = (a: RestFields, b: RestFields): boolean =>
  JSON.stringify(a) === JSON.stringify(b) || canonical(a) === canonical(b);

/** A source encodes the same fields alike, nearly always: then nothing needs to be decoded. */
const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  const [left, right] = [fieldBytes(a), fieldBytes(b)];
  return left !== undefined && right !== undefined && left.equals(right);
};

/** The entries of a document's map of fields, if they stand side by side. */
const fieldBytes = (encoded: Uint8Array): Buffer | undefined => {
  const reader = new MessageReader(encoded);
  const end = reader.bytes.length;
  let [start, stop] = [-1, -1];
  for (let at = 0; reader.next(end); at = reader.at) {
    const isField = reader.field === 2 && reader.type === 2;
    reader.skip(end);
    if (!isField) continue;
    if (start < 0) start = at;
    else if (stop !== at) return undefined;
    stop = reader.at;
  }
  return start < 0 ? none : reader.bytes.subarray(start, stop);
};

const none = Buffer.alloc(0);

/** The same text for the same fields, whatever their order. */
const canonical = (fields: RestFields): string =>
  JSON.stringify(fields, (_, value: unknown) => (isFields(value) ? sorted(value) : value));

/** Only maps of fields have no prototype; what stands for `-0` has none either, and is frozen. */
const isFields = (value: unknown): value is RestFields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null && !Object.isFrozen(value);

const sorted = (fields: RestFields): RestFields => {
  const out = noFields();
  for (const name of Object.keys(fields).sort()) out[name] = fields[name] as RestValue;
  return out;
};
