import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { decodeValue, formatJson } from '../../../shared/client/index.ts';

test('firestore-value: reads every type of Firestore', () => {
  const name = 'projects/p/databases/(default)/documents/users/ada';
  const vector = { __type__: { stringValue: '__vector__' }, value: { arrayValue: { values: [{ doubleValue: 0.5 }] } } };
  for (const [value, expected] of [
    [{ nullValue: null }, { type: 'null' }],
    [{ booleanValue: false }, { type: 'boolean', value: false }],
    [{ integerValue: '9223372036854775807' }, { type: 'integer', text: '9223372036854775807' }],
    [{ doubleValue: -0 }, { type: 'double', text: '-0' }],
    [{ doubleValue: 'NaN' }, { type: 'double', text: 'NaN' }],
    [{ timestampValue: '2020-01-01T00:00:00Z' }, { type: 'timestamp', at: '2020-01-01T00:00:00Z' }],
    [{ stringValue: '' }, { type: 'string', text: '' }],
    [{ bytesValue: 'AP8=' }, { type: 'bytes', base64: 'AP8=', size: 2 }],
    [{ bytesValue: '' }, { type: 'bytes', base64: '', size: 0 }],
    [{ referenceValue: name }, { type: 'reference', name, path: 'users/ada' }],
    [{ geoPointValue: { longitude: 1 } }, { type: 'geopoint', latitude: 0, longitude: 1 }],
    [{ mapValue: { fields: vector } }, { type: 'vector', dimensions: ['0.5'] }],
    [{ mapValue: {} }, { type: 'map', fields: {} }],
    [{ arrayValue: {} }, { type: 'array', values: [] }],
    [{ futureValue: 1 }, { type: 'unknown', json: '{"futureValue":1}' }],
    [{ constructor: 1 }, { type: 'unknown', json: '{"constructor":1}' }],
  ] as const)
    deepEqual(decodeValue(value as never), expected);
});

test('firestore-value: JSON of a document keeps -0', () => {
  equal(formatJson({ a: { doubleValue: -0 } }), '{\n  "a": {\n    "doubleValue": -0\n  }\n}');
});
