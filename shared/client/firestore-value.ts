/** Values of Firestore in the JSON format of its REST API. */

export type Fields = Readonly<Record<string, Value>>;
export type Value = Readonly<Record<string, unknown>>;

export type TypedValue =
  | { readonly type: 'null' }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'integer'; readonly text: string }
  | { readonly type: 'double'; readonly text: string }
  | { readonly type: 'timestamp'; readonly at: string }
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'bytes'; readonly base64: string; readonly size: number }
  | { readonly type: 'reference'; readonly name: string; readonly path: string }
  | { readonly type: 'geopoint'; readonly latitude: number; readonly longitude: number }
  | { readonly type: 'vector'; readonly dimensions: readonly string[] }
  | { readonly type: 'array'; readonly values: readonly Value[] }
  | { readonly type: 'map'; readonly fields: Fields }
  | { readonly type: 'unknown'; readonly json: string };

/** Of a double, `3` and `-0` as Firestore shows them, too. */
const doubleText = (value: unknown): string => (Object.is(value, -0) ? '-0' : String(value));

const arrayOf = (value: unknown): readonly Value[] => (value as { values?: readonly Value[] } | undefined)?.values ?? [];
const fieldsOf = (value: unknown): Fields => (value as { fields?: Fields } | undefined)?.fields ?? {};

const bytesIn = (base64: string): number =>
  Math.floor((base64.length * 3) / 4) - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);

/** The path of a document within its database. */
export const pathOfName = (name: string): string => name.replace(/^projects\/[^/]+\/databases\/[^/]+\/documents\//, '');

/** A vector is a map with a marked type. */
const vectorOf = (fields: Fields): readonly string[] | undefined => {
  if (fields.__type__?.stringValue !== '__vector__' || !fields.value || Object.keys(fields).length !== 2) return undefined;
  return arrayOf(fields.value.arrayValue).map((one) => doubleText(one.doubleValue ?? one.integerValue));
};

const mapOf = (value: unknown): TypedValue => {
  const fields = fieldsOf(value);
  const dimensions = vectorOf(fields);
  return dimensions ? { type: 'vector', dimensions } : { type: 'map', fields };
};

const readers: Readonly<Record<string, (value: unknown) => TypedValue>> = {
  nullValue: () => ({ type: 'null' }),
  booleanValue: (value) => ({ type: 'boolean', value: value === true }),
  integerValue: (value) => ({ type: 'integer', text: String(value) }),
  doubleValue: (value) => ({ type: 'double', text: doubleText(value) }),
  timestampValue: (value) => ({ type: 'timestamp', at: String(value) }),
  stringValue: (value) => ({ type: 'string', text: String(value) }),
  bytesValue: (value) => ({ type: 'bytes', base64: String(value), size: bytesIn(String(value)) }),
  referenceValue: (value) => ({ type: 'reference', name: String(value), path: pathOfName(String(value)) }),
  geoPointValue: (value) => {
    const { latitude = 0, longitude = 0 } = (value ?? {}) as { latitude?: number; longitude?: number };
    return { type: 'geopoint', latitude, longitude };
  },
  arrayValue: (value) => ({ type: 'array', values: arrayOf(value) }),
  mapValue: mapOf,
};

export const decodeValue = (value: Value): TypedValue => {
  const [kind = '', content] = Object.entries(value)[0] ?? [];
  return Object.hasOwn(readers, kind) && readers[kind]
    ? readers[kind](content)
    : { type: 'unknown', json: JSON.stringify(value) };
};

/** Numbers keep `-0`, which JSON.stringify writes as 0. */
const exact = (_: string, value: unknown): unknown => {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  return Object.is(value, -0) && rawJSON ? rawJSON('-0') : value;
};

/** Readable JSON of a document or value, without loss. */
export const formatJson = (value: unknown): string => JSON.stringify(value, exact, 2);
