import { fingerprint } from '../../platform/index.ts';
import { broken, MessageReader } from '../wire/message-reader.ts';
import { addEntry, noFields, type RestFields, type RestValue, restTime } from './rest-value.ts';

/** A document in the JSON format of the Firestore REST API; `fields` is always present. */
export interface RestDocument {
  readonly name: string;
  readonly fields: RestFields;
  readonly createTime?: string;
  readonly updateTime?: string;
}

/**
 * Converts an encoded google.firestore.v1.Document to REST JSON: 64-bit integers, NaN and infinities as text, bytes as base64,
 * times with nanoseconds, `-0` kept. `JSON.stringify` preserves all of it.
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
      if (!addEntry(fields, { reader, end: stop, depth: 0 })) throw broken();
    } else if (reader.field === 3) createTime = restTime(reader, stop);
    else updateTime = restTime(reader, stop);
    reader.at = stop;
  }
  return { name, fields, ...(createTime !== undefined && { createTime }), ...(updateTime !== undefined && { updateTime }) };
};

/** Whether two encoded documents have the same fields. Map order is ignored; number types are not. */
export const sameFields = (a: Uint8Array, b: Uint8Array): boolean =>
  sameBytes(a, b) || sameValues(restDocument(a).fields, restDocument(b).fields);

/** Whether two JSON fields or values are equal. */
export const sameValues = (a: RestFields, b: RestFields): boolean =>
  JSON.stringify(a) === JSON.stringify(b) || canonical(a) === canonical(b);

/** Equal for documents with the same fields, as `sameFields` compares them; times are not part of it. */
export const fieldsDigest = (encoded: Uint8Array): string => fingerprint(canonical(restDocument(encoded).fields)).slice(0, 22);

/** Fast path: Firestore almost always encodes equal fields alike. */
const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  const [left, right] = [fieldBytes(a), fieldBytes(b)];
  return left !== undefined && right !== undefined && left.equals(right);
};

/** The encoded field entries of a document, if they are contiguous. */
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

/** Canonical text of fields, independent of their order. */
const canonical = (fields: RestFields): string =>
  JSON.stringify(fields, (_, value: unknown) => (isFields(value) ? sorted(value) : value));

/** Only field maps have no prototype; the value for `-0` has none either, but is frozen. */
const isFields = (value: unknown): value is RestFields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null && !Object.isFrozen(value);

const sorted = (fields: RestFields): RestFields => {
  const out = noFields();
  for (const name of Object.keys(fields).sort()) out[name] = fields[name] as RestValue;
  return out;
};
