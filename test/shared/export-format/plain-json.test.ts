/** Plain NDJSON is what people expect of JSON, and loses no digit and no name. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { exportRow, plainLine } from '../../../shared/export-format/index.ts';
import { everyValue, exportRoot } from '../../harness/builders/every-value.ts';

const lineOf = (fields: typeof everyValue, path = 'users/ada/orders/7'): string =>
  plainLine(exportRow({ name: `${exportRoot}/${path}`, fields, createTime: '2024-01-01T00:00:00Z' }, exportRoot));

test('plain NDJSON: every value is on one line, which JSON reads', () => {
  const line = lineOf(everyValue);
  ok(!line.includes('\n'));
  const { vector, where, nowhere, mixed, noTags, noFields, own, foreign, ...row } = JSON.parse(line);
  deepEqual(
    { vector, where, nowhere, mixed, noTags, noFields, own, foreign },
    {
      vector: [0.5, -1.5],
      where: { latitude: 35.5, longitude: -139.25 },
      nowhere: { latitude: 0, longitude: 0 },
      mixed: [1, 'two', [3], {}],
      noTags: [],
      noFields: {},
      own: 'users/ada',
      foreign: 'projects/other/databases/second/documents/c/__id7__',
    },
  );
  equal(row.text, 'Grüße 東京 🚀\r\n"two" lines, one\ttab');
  deepEqual([row.__path__, row.__id__, row.__createTime__], ['users/ada/orders/7', '7', '2024-01-01T00:00:00Z']);
  ok(!('__updateTime__' in row));
  equal(row.map.deeper.times[0], '2024-01-01T00:00:00Z');
});

test('plain NDJSON: integers keep all digits and -0 its sign; NaN and infinities are texts', () => {
  const line = lineOf(everyValue);
  for (const part of [
    '"least":-9223372036854775808,"greatest":9223372036854775807,',
    '"minusZero":-0,"notANumber":"NaN","infinite":"-Infinity"',
  ])
    ok(line.includes(part), part);
});

test('plain NDJSON: a field named __proto__ is a field like others', () => {
  const fields = JSON.parse('{"__proto__":{"integerValue":"1"}}');
  ok(lineOf(fields).endsWith('"__proto__":1}'));
});
