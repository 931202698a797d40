/** Records of Google's export format, decoded by the published definition of entities. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import protobuf from 'protobufjs';
import { test } from 'vitest';
import { exportRow, GoogleEntity } from '../../../../shared/export-format/index.ts';
import type { RestFields } from '../../../../shared/firestore/index.ts';
import { everyValue, exportRoot, vectorOf } from '../../../harness/builders/every-value.ts';

/** As the package appengine-python-standard publishes it (google/appengine/datastore/entity_bytes_pb2.py), without what Firestore lacks. */
const definition = `syntax = "proto2";
message PropertyValue {
  optional int64 int64Value = 1;
  optional bool booleanValue = 2;
  optional bytes stringValue = 3;
  optional double doubleValue = 4;
  optional group PointValue = 5 { required double x = 6; required double y = 7; }
  optional group ReferenceValue = 12 {
    required string app = 13;
    optional string name_space = 20;
    repeated group PathElement = 14 { required string type = 15; optional int64 id = 16; optional string name = 17; }
    optional string database_id = 23;
  }
}
message Property {
  enum Meaning { NO_MEANING = 0; GD_WHEN = 7; GEORSS_POINT = 9; BLOB = 14; ENTITY_PROTO = 19; EMPTY_LIST = 24; }
  optional Meaning meaning = 1 [default = NO_MEANING];
  optional string meaning_uri = 2;
  required string name = 3;
  required PropertyValue value = 5;
  required bool multiple = 4;
}
message Path {
  repeated group Element = 1 { required string type = 2; optional int64 id = 3; optional string name = 4; }
}
message Reference {
  required string app = 13;
  optional string name_space = 20;
  required Path path = 14;
  optional string database_id = 23;
}
message EntityProto {
  required Reference key = 13;
  required Path entity_group = 16;
  repeated Property property = 14;
  repeated Property raw_property = 15;
}`;
const { root } = protobuf.parse(definition, { keepCase: true });
// Groups are told from messages when all is resolved.
const entityType = root.resolveAll().lookupType('EntityProto');

interface Property {
  readonly name: string;
  readonly meaning?: string;
  readonly multiple: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Entity {
  readonly key: { readonly app: string; readonly path: { readonly element: unknown[] }; readonly database_id?: string };
  readonly entity_group: { readonly element: unknown[] };
  readonly property: readonly Property[];
  readonly raw_property: readonly Property[];
}

const decode = (bytes: Uint8Array): Entity =>
  entityType.toObject(entityType.decode(bytes), { longs: String, enums: String, bytes: Buffer, arrays: true }) as Entity;
const encode = (path: string, fields: RestFields, database = exportRoot): Buffer =>
  new GoogleEntity().encode(exportRow({ name: `${database}/${path}`, fields }, database));

/** The form of a property that a reader of maps and lists sees. */
const shown = ({ meaning, value }: Property): unknown => {
  if (meaning !== 'ENTITY_PROTO') return meaning === undefined ? value : [meaning, value];
  const { key, entity_group, property, raw_property } = decode(value.stringValue as Buffer);
  deepEqual([key, entity_group], [{ app: '', path: { element: [] } }, { element: [] }]);
  return { map: [...property, ...raw_property].map((one) => [one.name, one.multiple, shown(one)]) };
};
const valuesOf = (fields: RestFields): Record<string, unknown> => {
  const { property, raw_property } = decode(encode('c/d', fields));
  const all: Record<string, unknown> = {};
  for (const one of [...property, ...raw_property])
    all[one.name] = one.multiple ? [...((all[one.name] as unknown[]) ?? []), shown(one)] : shown(one);
  return all;
};

test('google entity: each type of value is what the definition says', () => {
  const point = (x: number, y: number) => ['GEORSS_POINT', { pointValue: { x, y } }];
  const vector = (...values: readonly number[]) => ({
    map: values.map((doubleValue) => ['__vector__', true, { doubleValue }]),
  });
  deepEqual(valuesOf(everyValue), {
    noTags: ['EMPTY_LIST', {}],
    nothing: {},
    yes: { booleanValue: true },
    no: { booleanValue: false },
    least: { int64Value: '-9223372036854775808' },
    greatest: { int64Value: '9223372036854775807' },
    ratio: { doubleValue: 1.5 },
    minusZero: { doubleValue: -0 },
    notANumber: { doubleValue: Number.NaN },
    infinite: { doubleValue: Number.NEGATIVE_INFINITY },
    text: { stringValue: Buffer.from('Grüße 東京 🚀\r\n"two" lines, one\ttab') },
    empty: { stringValue: Buffer.alloc(0) },
    bytes: ['BLOB', { stringValue: Buffer.from([0, 1, 254, 255]) }],
    when: ['GD_WHEN', { int64Value: '1704164645123456' }],
    before: ['GD_WHEN', { int64Value: '-315619199500000' }],
    first: ['GD_WHEN', { int64Value: '-62135596800000000' }],
    where: point(35.5, -139.25),
    nowhere: point(0, 0),
    own: { referenceValue: { app: 's~demo', pathElement: [{ type: 'users', name: 'ada' }] } },
    foreign: { referenceValue: { app: 's~other', pathElement: [{ type: 'c', id: '7' }], database_id: 'second' } },
    vector: vector(0.5, -1.5),
    tags: [{ stringValue: Buffer.from('a') }, {}, { stringValue: Buffer.from('b') }],
    mixed: [{ int64Value: '1' }, { stringValue: Buffer.from('two') }, vector(3), { map: [] }],
    map: {
      map: [
        ['none', false, ['EMPTY_LIST', {}]],
        ['a.b', false, { int64Value: '7' }],
        ['deeper', false, { map: [['times', true, ['GD_WHEN', { int64Value: '1704067200000000' }]]] }],
        ['list', true, { map: [['n', false, { int64Value: '1' }]] }],
        ['list', true, { map: [] }],
      ],
    },
    noFields: { map: [] },
  });
});

test('google entity: the key has the whole path, numeric ids and the database; the group has the root document', () => {
  const database = 'projects/demo/databases/second/documents';
  const { key, entity_group } = decode(encode('users/ada/orders/__id-3__', {}, database));
  deepEqual(key, {
    app: 's~demo',
    path: {
      element: [
        { type: 'users', name: 'ada' },
        { type: 'orders', id: '-3' },
      ],
    },
    database_id: 'second',
  });
  deepEqual(entity_group, { element: [{ type: 'users', name: 'ada' }] });
  const names = ['__id07__', '__id9223372036854775808__', '__id', '__id9223372036854775807__'].map(
    (id) => decode(encode(`c/${id}`, {})).key.path.element[0],
  );
  deepEqual(names, [
    { type: 'c', name: '__id07__' },
    { type: 'c', name: '__id9223372036854775808__' },
    { type: 'c', name: '__id' },
    { type: 'c', id: '9223372036854775807' },
  ]);
  equal(decode(encode('c/d', {})).key.database_id, undefined);
});

test('google entity: a large document grows the buffer, and the next one does not keep its bytes', () => {
  const entity = new GoogleEntity();
  const text = 'x'.repeat(900_000);
  const large = exportRow({ name: `${exportRoot}/c/large`, fields: { text: { stringValue: text }, v: vectorOf(1) } }, exportRoot);
  const small = exportRow({ name: `${exportRoot}/c/small`, fields: { n: { integerValue: '1' } } }, exportRoot);
  const [first] = decode(Buffer.from(entity.encode(large))).raw_property;
  equal(String(first?.value.stringValue), text);
  deepEqual(entity.encode(small), encode('c/small', small.fields));
});

test('google entity: a value that the format does not have is refused, never left out', () => {
  throws(() => encode('c/d', { a: { arrayValue: { values: [{ arrayValue: {} }] } } }), /it has an array in an array/);
  throws(() => encode('c/d', { a: { unknownValue: 'AAAA' } }), /it has a value of an unknown type/);
});
