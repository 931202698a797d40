/** Whether an encoded document meets the conditions of a search. Most documents are passed over without being decoded. */
import { type ErasureValue, parseMoment } from '../../archive/index.ts';
import { type RestFields, type RestValue, restDocument, storedKey, valueKey } from '../../firestore/index.ts';
import type { SearchCondition, ValueComparison } from './parse-query.ts';

/** `path` is relative to the database. */
type Match = (path: string, body: Buffer) => boolean;

/** `documentsRoot` is that of the archive: references are stored with it. */
export const documentMatcher = (conditions: readonly SearchCondition[], documentsRoot: string): Match => {
  const mayMatch = conditions.map(mayMeet);
  const meets = conditions.map((condition) => meeting(condition, documentsRoot));
  return (path, body) => {
    if (!mayMatch.every((may) => may(path, body))) return false;
    const { fields } = restDocument(body);
    return meets.every((meet) => meet(path, fields));
  };
};

type MayMeet = Match;
type Meet = (path: string, fields: RestFields) => boolean;

/** What the bytes of a document must contain: the name of its field, or a text. */
const mayMeet = (condition: SearchCondition): MayMeet => {
  if (condition.kind !== 'text') {
    const names = condition.field.map((segment) => Buffer.from(segment));
    return (_, body) => names.every((name) => body.includes(name));
  }
  const text = condition.text.toLowerCase();
  // Letters beyond ASCII have other bytes in lower case.
  if (!/^[\x20-\x7e]*$/.test(text)) return () => true;
  return (path, body) =>
    path.toLowerCase().includes(text) ||
    body.toString('latin1').toLowerCase().includes(text) ||
    becomeAscii.some((letter) => body.includes(letter));
};

/** Letters beyond ASCII that are ASCII in lower case. */
const becomeAscii = ['\u0130', '\u212a'].map((letter) => Buffer.from(letter));

const meeting = (condition: SearchCondition, documentsRoot: string): Meet => {
  if (condition.kind === 'text') {
    const text = condition.text.toLowerCase();
    return (path, fields) => path.toLowerCase().includes(text) || Object.values(fields).some((value) => hasText(value, text));
  }
  const test = valueTest(condition, documentsRoot);
  return (_, fields) => {
    const value = valueAt(fields, condition.field);
    return value !== undefined && test(value);
  };
};

const valueTest = (
  condition: Exclude<SearchCondition, { kind: 'text' }>,
  documentsRoot: string,
): ((value: RestValue) => boolean) => {
  if (condition.kind === 'exists') return () => true;
  const wanted = storedValue(condition.value, documentsRoot);
  const key = valueKey(wanted);
  if (condition.kind === 'contains') return (value) => contains(value, { wanted, key });
  const { comparison } = condition;
  if (comparison === '==') return (value) => storedKey(value) === key;
  // As in a query of Firestore: what is null differs from nothing.
  if (comparison === '!=') return (value) => !('nullValue' in value && key !== 'null') && storedKey(value) !== key;
  return (value) => isInOrder(compareValues(value, wanted), comparison);
};

/** Equal for a value that meets the condition. */
export const keyOfCondition = ({ value }: { readonly value: ErasureValue }, documentsRoot: string): string =>
  valueKey(storedValue(value, documentsRoot));

const storedValue = (value: ErasureValue, documentsRoot: string): ErasureValue =>
  'referenceValue' in value ? { referenceValue: `${documentsRoot}${String(value.referenceValue)}` } : value;

const valueAt = (fields: RestFields, [name = '', ...rest]: readonly string[]): RestValue | undefined => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (rest.length === 0 || value === undefined) return value;
  const inner = mapFields(value);
  return inner && valueAt(inner, rest);
};

const mapFields = (value: RestValue): RestFields | undefined =>
  'mapValue' in value ? ((value.mapValue as { readonly fields?: RestFields }).fields ?? {}) : undefined;
const arrayValues = (value: RestValue): readonly RestValue[] | undefined =>
  'arrayValue' in value ? ((value.arrayValue as { readonly values?: readonly RestValue[] }).values ?? []) : undefined;
const textOf = (value: RestValue): string | undefined => ('stringValue' in value ? String(value.stringValue) : undefined);

const hasText = (value: RestValue, text: string): boolean => {
  const own = textOf(value) ?? ('referenceValue' in value ? String(value.referenceValue) : undefined);
  if (own !== undefined) return own.toLowerCase().includes(text);
  const inner = arrayValues(value) ?? Object.values(mapFields(value) ?? {});
  return inner.some((one) => hasText(one, text));
};

/** A part of a text, in upper or lower case; or an element of an array, of which texts are compared in the same way. */
const contains = (value: RestValue, { wanted, key }: { readonly wanted: ErasureValue; readonly key: string }): boolean => {
  const values = arrayValues(value);
  if (values)
    return values.some((one) => storedKey(one) === key || (textOf(one) !== undefined && contains(one, { wanted, key })));
  const [text, part] = [textOf(value), textOf(wanted)];
  return text !== undefined && part !== undefined && text.toLowerCase().includes(part.toLowerCase());
};

const isInOrder = (order: number | undefined, comparison: ValueComparison): boolean => {
  if (order === undefined || Number.isNaN(order)) return false;
  if (order === 0) return comparison.endsWith('=');
  return order < 0 === comparison.startsWith('<');
};

/** Undefined for values of different types, which have no order here: a query of Firestore does not find them either. */
const compareValues = (a: RestValue, b: RestValue): number | undefined => {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  const kind = ['timestampValue', 'stringValue', 'referenceValue'].find((one) => one in a && one in b);
  if (kind === undefined) return undefined;
  const [left, right] = [String(a[kind]), String(b[kind])];
  if (kind !== 'timestampValue') return Buffer.compare(Buffer.from(left), Buffer.from(right));
  const [one, other] = [parseMoment(left), parseMoment(right)];
  return one.seconds - other.seconds || one.nanos - other.nanos;
};

const isNumber = (value: RestValue): boolean => 'integerValue' in value || 'doubleValue' in value;

/** Exact, as in Firestore: a double does not tell large integers apart. */
const compareNumbers = (a: RestValue, b: RestValue): number => {
  const [one, other] = [exactOf(a), exactOf(b)];
  if (one < other) return -1;
  if (one > other) return 1;
  return one >= other ? 0 : Number.NaN;
};

const exactOf = (value: RestValue): bigint | number =>
  'integerValue' in value ? BigInt(String(value.integerValue)) : numberOf(value);

/** Infinities, NaN and -0 are not numbers in JSON. */
const numberOf = ({ doubleValue }: RestValue): number => Number(rawNumber(doubleValue));
const rawNumber = (value: unknown): unknown => (typeof value === 'object' ? 0 : value);
