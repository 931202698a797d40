import { limits } from '../base/limits.ts';
import { type Micros, RpcError } from '../base/types.ts';
import { WireReader } from '../proto/wire-reader.ts';
import { WireWriter } from '../proto/wire-writer.ts';
import { compareValues, equalValues } from '../value/compare-values.ts';
import { type FieldPath, formatFieldPath, parseFieldPath } from '../value/field-path.ts';
import { type Entries, getField, setField } from '../value/map-entries.ts';
import { encodeTimestamp } from '../value/timestamps.ts';
import { checkValue } from '../value/validate-fields.ts';
import { readValue, type Value, valueField } from '../value/value.ts';

type Numeric = 'increment' | 'maximum' | 'minimum';

/** The transform of one field. Operands are validated encoded Values. */
export type FieldTransform = { readonly path: FieldPath } & (
  | { readonly kind: 'request-time' }
  | { readonly kind: Numeric; readonly operand: Uint8Array }
  | { readonly kind: 'append-missing' | 'remove-all'; readonly elements: readonly Uint8Array[] }
);

/** Parses FieldTransforms; throws for combinations that cannot be applied together. */
export const readTransforms = (transforms: readonly Uint8Array[]): readonly FieldTransform[] => {
  if (transforms.length > limits.transformsPerDocument)
    throw invalid(`cannot have more than ${limits.transformsPerDocument} field transforms on a single document`);
  const read = transforms.map(readTransform);
  for (const { path } of read)
    for (const { path: other } of read)
      if (path.length < other.length && path.every((name, i) => other[i] === name))
        throw invalid(`Cannot transform property ${formatFieldPath(path)} and its nested property at the same time.`);
  return read;
};

/** Applies transforms in order to a document's fields and returns the encoded results. */
export const applyTransforms = (fields: Entries, transforms: readonly FieldTransform[], time: Micros): readonly Uint8Array[] =>
  transforms.map((transform) => {
    const current = getField(fields, transform.path);
    const value = transformed(current, transform, time);
    if (value !== current) setField(fields, transform.path, value);
    return 'elements' in transform ? nullValue : value;
  });

const transformed = (current: Uint8Array | undefined, transform: FieldTransform, time: Micros): Uint8Array => {
  switch (transform.kind) {
    case 'request-time':
      // Millisecond precision, like the service.
      return new WireWriter().field(valueField.timestamp, encodeTimestamp(Math.floor(time / 1000) * 1000)).finish();
    case 'append-missing':
      return append(elementsOf(current), transform.elements);
    case 'remove-all': {
      const removed = transform.elements.map((element) => readValue(element));
      return encodeArray(
        elementsOf(current).filter((element) => !removed.some((value) => equalValues(value, readValue(element)))),
      );
    }
    default:
      return calculate(current, transform.operand, transform.kind);
  }
};

const calculate = (current: Uint8Array | undefined, operand: Uint8Array, kind: Numeric): Uint8Array => {
  const a = current && readValue(current);
  const b = readValue(operand);
  // A value that is not a number is replaced.
  if (!current || !isNumber(a) || !isNumber(b)) return operand;
  if (kind === 'increment') return add(a, b);
  if (isNotANumber(a)) return current;
  if (isNotANumber(b)) return operand;
  const order = compareValues(a, b);
  // For equal numbers the stored one stays, with its type.
  return kind === 'maximum' ? (order < 0 ? operand : current) : order > 0 ? operand : current;
};

type NumberValue = Extract<Value, { kind: 'integer' | 'double' }>;

const isNumber = (value: Value | undefined): value is NumberValue => value?.kind === 'integer' || value?.kind === 'double';
const isNotANumber = (value: NumberValue): boolean => value.kind === 'double' && Number.isNaN(value.value);

/** Integers saturate at 64 bits; with a double the sum is a double. */
const add = (a: NumberValue, b: NumberValue): Uint8Array => {
  if (a.kind === 'double' || b.kind === 'double')
    return new WireWriter().double(valueField.double, Number(a.value) + Number(b.value)).finish();
  const sum = BigInt(a.value) + BigInt(b.value);
  const held = BigInt.asIntN(64, sum) === sum ? sum : sum > 0n ? int64Max : int64Min;
  return new WireWriter().varint(valueField.integer, held).finish();
};

const append = (current: readonly Uint8Array[], elements: readonly Uint8Array[]): Uint8Array => {
  const result = [...current];
  const present = current.map((element) => readValue(element));
  for (const element of elements) {
    const value = readValue(element);
    if (present.some((other) => equalValues(other, value))) continue;
    present.push(value);
    result.push(element);
  }
  return encodeArray(result);
};

/** The encoded elements of an array; none for other values. */
const elementsOf = (value: Uint8Array | undefined): readonly Uint8Array[] => {
  if (!value) return [];
  const reader = new WireReader(value);
  let elements: readonly Uint8Array[] = [];
  while (reader.next()) elements = reader.field === valueField.array && reader.type === 2 ? readElements(reader.inner()) : [];
  return elements;
};

const readElements = (reader: WireReader): readonly Uint8Array[] => {
  const elements: Uint8Array[] = [];
  while (reader.next()) if (reader.field === 1 && reader.type === 2) elements.push(reader.slice());
  return elements;
};

const encodeArray = (elements: readonly Uint8Array[]): Uint8Array => {
  const array = new WireWriter();
  for (const element of elements) array.field(1, element);
  return new WireWriter().field(valueField.array, array.finish()).finish();
};

const numericFields: Readonly<Record<number, Numeric>> = { 3: 'increment', 4: 'maximum', 5: 'minimum' };

const readTransform = (bytes: Uint8Array): FieldTransform => {
  const reader = new WireReader(bytes);
  let path: FieldPath = [];
  let operation: (path: FieldPath) => FieldTransform = () => {
    throw invalid('Operation type must be specified for field transformation.');
  };
  while (reader.next()) {
    const { field } = reader;
    const numeric = numericFields[field];
    if (field === 1 && reader.type === 2) path = parseFieldPath(reader.text());
    else if (field === 2 && reader.type === 0) {
      if (reader.int64() === 1) operation = (path) => ({ path, kind: 'request-time' });
    } else if (numeric && reader.type === 2) {
      const operand = reader.slice();
      operation = (path) => ({ path, kind: numeric, operand: checkNumber(operand) });
    } else if ((field === 6 || field === 7) && reader.type === 2) {
      const elements = readElements(reader.inner());
      const kind = field === 6 ? 'append-missing' : 'remove-all';
      operation = (path) => ({ path, kind, elements: elements.map((element) => checkValue(element, 'array', true)) });
    }
  }
  if (path.length === 0) throw invalid('Invalid empty property path string.');
  return operation(path);
};

const checkNumber = (operand: Uint8Array): Uint8Array => {
  if (!isNumber(readValue(operand))) throw invalid('Input must be a number.');
  return operand;
};

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
const nullValue = new WireWriter().varint(valueField.null, 0).finish();
const invalid = (message: string): RpcError => new RpcError('INVALID_ARGUMENT', message);
