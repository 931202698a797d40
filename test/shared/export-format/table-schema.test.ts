/** The type of a column is the one type that all its values have; otherwise it is JSON, and nothing is lost. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { TableSchema } from '../../../shared/export-format/index.ts';
import type { RestFields, RestValue } from '../../../shared/firestore/index.ts';
import { vectorOf } from '../../harness/builders/every-value.ts';

const schemaOf = (...all: readonly RestFields[]): TableSchema => {
  const schema = new TableSchema();
  for (const fields of all) schema.add(fields);
  return schema;
};
const typeOf = (...values: readonly RestValue[]) => schemaOf(...values.map((a) => ({ a }))).columns[0]?.type;
const integer = (value: number | string): RestValue => ({ integerValue: String(value) });
const text: RestValue = { stringValue: 'x' };
const nothing: RestValue = { nullValue: null };
const listOf = (...values: readonly RestValue[]): RestValue => ({ arrayValue: { values } });
const mapOf = (fields: RestFields): RestValue => ({ mapValue: { fields } });

test('columns: nulls do not count, and a column of nulls is text', () => {
  deepEqual(typeOf(nothing, integer(1), nothing), { kind: 'integer' });
  deepEqual(typeOf(nothing), { kind: 'string' });
});

test('columns: integers and doubles are doubles, unless an integer would lose digits', () => {
  deepEqual(typeOf(integer(10), { doubleValue: 9.99 }), { kind: 'double' });
  deepEqual(typeOf(integer('9007199254740993'), { doubleValue: 9.99 }), { kind: 'json' });
  deepEqual(typeOf(integer('9007199254740993')), { kind: 'integer' });
});

test('columns: values of several types, and maps without fields, are JSON', () => {
  deepEqual(typeOf(integer(1), text), { kind: 'json' });
  deepEqual(typeOf(vectorOf(1), listOf({ doubleValue: 1 })), { kind: 'json' });
  deepEqual(typeOf(mapOf({})), { kind: 'json' });
});

test('columns: lists and structs have typed parts', () => {
  deepEqual(typeOf(listOf(), listOf(nothing, integer(1))), { kind: 'list', element: { kind: 'integer' } });
  deepEqual(typeOf(listOf(integer(1), text)), { kind: 'list', element: { kind: 'json' } });
  deepEqual(typeOf(vectorOf(1, 2)), { kind: 'vector' });
  deepEqual(typeOf(mapOf({ a: text }), mapOf({ b: mapOf({ c: integer(1) }) })), {
    kind: 'struct',
    columns: [
      { name: 'a', type: { kind: 'string' } },
      { name: 'b', type: { kind: 'struct', columns: [{ name: 'c', type: { kind: 'integer' } }] } },
    ],
  });
});

test('columns: a map with more than 200 keys is JSON, and maps of maps do not multiply', () => {
  const keys = (count: number, prefix: string, value: RestValue) =>
    mapOf(Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, value])));
  equal(typeOf(keys(200, 'k', text))?.kind, 'struct');
  deepEqual(typeOf(keys(150, 'a', text), keys(51, 'b', text)), { kind: 'json' });
  const partsOf = (type: unknown): number => (JSON.stringify(type).match(/"name"/g) ?? []).length;
  const nested = typeOf(keys(100, 'a', keys(100, 'b', keys(100, 'c', text))));
  ok(partsOf(nested) <= 3_000, String(partsOf(nested)));
});
