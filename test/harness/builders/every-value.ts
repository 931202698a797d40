/** A document with a value of every type that Firestore has, in REST JSON. */
import type { RestFields } from '../../../shared/firestore/index.ts';

export const exportRoot = 'projects/demo/databases/(default)/documents';

export const vectorOf = (...values: readonly number[]) => ({
  mapValue: {
    fields: {
      __type__: { stringValue: '__vector__' },
      value: { arrayValue: { values: values.map((doubleValue) => ({ doubleValue })) } },
    },
  },
});

export const everyValue: RestFields = {
  nothing: { nullValue: null },
  yes: { booleanValue: true },
  no: { booleanValue: false },
  least: { integerValue: '-9223372036854775808' },
  greatest: { integerValue: '9223372036854775807' },
  ratio: { doubleValue: 1.5 },
  minusZero: { doubleValue: -0 },
  notANumber: { doubleValue: 'NaN' },
  infinite: { doubleValue: '-Infinity' },
  text: { stringValue: 'Grüße 東京 🚀\r\n"two" lines, one\ttab' },
  empty: { stringValue: '' },
  bytes: { bytesValue: 'AAH+/w==' },
  when: { timestampValue: '2024-01-02T03:04:05.123456Z' },
  before: { timestampValue: '1960-01-01T00:00:00.500Z' },
  first: { timestampValue: '0001-01-01T00:00:00Z' },
  where: { geoPointValue: { latitude: 35.5, longitude: -139.25 } },
  nowhere: { geoPointValue: {} },
  own: { referenceValue: `${exportRoot}/users/ada` },
  foreign: { referenceValue: 'projects/other/databases/second/documents/c/__id7__' },
  vector: vectorOf(0.5, -1.5),
  tags: { arrayValue: { values: [{ stringValue: 'a' }, { nullValue: null }, { stringValue: 'b' }] } },
  mixed: { arrayValue: { values: [{ integerValue: '1' }, { stringValue: 'two' }, vectorOf(3), { mapValue: {} }] } },
  noTags: { arrayValue: {} },
  map: {
    mapValue: {
      fields: {
        'a.b': { integerValue: '7' },
        deeper: { mapValue: { fields: { times: { arrayValue: { values: [{ timestampValue: '2024-01-01T00:00:00Z' }] } } } } },
        list: { arrayValue: { values: [{ mapValue: { fields: { n: { integerValue: '1' } } } }, { mapValue: { fields: {} } }] } },
        none: { arrayValue: {} },
      },
    },
  },
  noFields: { mapValue: {} },
};
