import { type ErasureValue, parseMoment } from '../../archive/index.ts';

/** A text that is the same for equal values. Throws TypeError if the value is not in the REST format. */
export const valueKey = (value: ErasureValue): string => {
  const entries = Object.entries(value);
  const [[kind, content] = []] = entries;
  const key = kind === undefined || entries.length !== 1 ? undefined : keys[kind];
  if (!key) throw new TypeError('must have exactly one key that names its type, such as stringValue');
  return key(content);
};

/** The same for a stored value; undefined for one of no type or of a type that is not known, which equals nothing. */
export const storedKey = (value: ErasureValue): string | undefined => {
  try {
    return valueKey(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

const expect = (isValid: boolean, kind: string): void => {
  if (!isValid) throw new TypeError(`not a valid ${kind}`);
};

const textOf = (kind: string, content: unknown): string => {
  expect(typeof content === 'string', kind);
  return `${kind}:${JSON.stringify(content)}`;
};

/** Integers and doubles of the same number are equal, also beyond 2^53. */
const numberKey = (content: unknown): string => {
  const number = typeof content === 'number' ? content : Number(rawText(content));
  expect(!Number.isNaN(number) || content === 'NaN', 'doubleValue');
  return `number:${Number.isInteger(number) ? BigInt(number) : number}`;
};

/** `-0` is an object that JSON writes as it is. */
const rawText = (content: unknown): string => {
  if (typeof content === 'string') return content.trim() === '' ? 'invalid' : content;
  return content !== null && typeof content === 'object' ? JSON.stringify(content) : 'invalid';
};

const integerKey = (content: unknown): string => {
  const text = typeof content === 'number' ? String(content) : content;
  expect(typeof text === 'string' && /^-?\d{1,19}$/.test(text), 'integerValue');
  return `number:${BigInt(text as string)}`;
};

const timeKey = (content: unknown): string => {
  expect(typeof content === 'string', 'timestampValue');
  const { seconds, nanos } = parseMoment(content as string);
  expect(Number.isFinite(seconds), 'timestampValue');
  return `timestamp:${seconds}.${nanos}`;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapKey = (content: unknown): string => {
  expect(isRecord(content), 'mapValue');
  const { fields = {}, ...others } = content as Record<string, unknown>;
  expect(isRecord(fields) && Object.keys(others).length === 0, 'mapValue');
  const entries = Object.entries(fields as Record<string, ErasureValue>).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map:{${entries.map(([name, value]) => `${JSON.stringify(name)}=${innerKey(value)}`).join(',')}}`;
};

const arrayKey = (content: unknown): string => {
  expect(isRecord(content), 'arrayValue');
  const { values = [], ...others } = content as Record<string, unknown>;
  expect(Array.isArray(values) && Object.keys(others).length === 0, 'arrayValue');
  return `array:[${(values as unknown[]).map(innerKey).join(',')}]`;
};

const innerKey = (value: unknown): string => {
  expect(isRecord(value), 'value');
  return valueKey(value as ErasureValue);
};

const pointKey = (content: unknown): string => {
  expect(isRecord(content), 'geoPointValue');
  const { latitude = 0, longitude = 0 } = content as Record<string, unknown>;
  return `point:${numberKey(latitude)},${numberKey(longitude)}`;
};

const keys: Readonly<Record<string, (content: unknown) => string>> = {
  nullValue: (content) => {
    expect(content === null || content === 'NULL_VALUE', 'nullValue');
    return 'null';
  },
  booleanValue: (content) => {
    expect(typeof content === 'boolean', 'booleanValue');
    return `boolean:${content}`;
  },
  integerValue: integerKey,
  doubleValue: numberKey,
  timestampValue: timeKey,
  stringValue: (content) => textOf('string', content),
  bytesValue: (content) => textOf('bytes', content),
  referenceValue: (content) => textOf('reference', content),
  geoPointValue: pointKey,
  mapValue: mapKey,
  arrayValue: arrayKey,
  // Of a type that this version does not know; equal only to itself.
  unknownValue: (content) => textOf('unknown', content),
};
