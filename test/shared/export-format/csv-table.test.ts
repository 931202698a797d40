/** CSV files: quotes, line breaks, and texts that a spreadsheet would run. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { CsvTable, exportRow, TableSchema } from '../../../shared/export-format/index.ts';
import type { RestFields } from '../../../shared/firestore/index.ts';
import { everyValue, exportRoot } from '../../harness/builders/every-value.ts';
import { parseCsv } from '../../harness/builders/parse-csv.ts';

const rowOf = (fields: RestFields, path = 'users/ada') =>
  exportRow({ name: `${exportRoot}/${path}`, fields, updateTime: '2024-01-01T00:00:00Z' }, exportRoot);
const schemaOf = (...all: readonly RestFields[]): TableSchema => {
  const schema = new TableSchema();
  for (const fields of all) schema.add(fields);
  return schema;
};

test('csv: a reader of RFC 4180 finds every value, with quotes and line breaks in its text', () => {
  const table = CsvTable.ofSchema(schemaOf(everyValue), { isExact: false });
  const [names = [], cells = [], ...more] = parseCsv(table.header + table.line(rowOf(everyValue)));
  equal(more.length, 0);
  const found = Object.fromEntries(names.map((name, n) => [name, cells[n]]));
  deepEqual(names.slice(0, 5), ['__path__', '__id__', '__createTime__', '__updateTime__', 'nothing']);
  deepEqual(
    [found.text, found.least, found.greatest, found.minusZero, found.notANumber, found.yes, found.nothing, found.empty],
    ['Grüße 東京 🚀\r\n"two" lines, one\ttab', '-9223372036854775808', '9223372036854775807', '-0', 'NaN', 'true', '', ''],
  );
  deepEqual(
    [found.own, found.bytes, found.when, found.__createTime__],
    ['users/ada', 'AAH+/w==', '2024-01-02T03:04:05.123456Z', ''],
  );
  deepEqual(JSON.parse(found.map ?? '').deeper, { times: ['2024-01-01T00:00:00Z'] });
  deepEqual(JSON.parse(found.where ?? ''), { latitude: 35.5, longitude: -139.25 });
});

test('csv: an empty text is quoted; a missing field and a null are not', () => {
  const table = CsvTable.ofPaths(['a', 'b', 'c'], { isExact: false });
  equal(table.line(rowOf({ a: { stringValue: '' }, b: { nullValue: null } })), '"",,\r\n');
});

test('csv: no spreadsheet runs a text or a header, unless texts are to be exact; numbers stay', () => {
  const fields: RestFields = {
    '=cmd': { stringValue: '=1+1' },
    at: { stringValue: '@SUM(A1)' },
    minus: { integerValue: '-5' },
    list: { arrayValue: { values: [{ stringValue: '=1' }] } },
  };
  const linesOf = (isExact: boolean): string => {
    const table = CsvTable.ofSchema(schemaOf(fields), { isExact });
    return table.header + table.line(rowOf(fields, '-x/=y'));
  };
  deepEqual(parseCsv(linesOf(false)), [
    ['__path__', '__id__', '__createTime__', '__updateTime__', "'=cmd", 'at', 'minus', 'list'],
    ["'-x/=y", "'=y", '', '2024-01-01T00:00:00Z', "'=1+1", "'@SUM(A1)", '-5', '["=1"]'],
  ]);
  deepEqual(parseCsv(linesOf(true))[1]?.slice(0, 6), ['-x/=y', '=y', '', '2024-01-01T00:00:00Z', '=1+1', '@SUM(A1)']);
});

test('csv: given columns are field paths, and a wrong one is named', () => {
  const paths = ['__id__', 'address.city', '`first.name`', 'address', 'text.below'];
  const table = CsvTable.ofPaths(paths, { isExact: false });
  const fields: RestFields = {
    address: { mapValue: { fields: { city: { stringValue: 'Ulm' } } } },
    'first.name': { stringValue: 'Ada' },
    text: { stringValue: 'x' },
  };
  deepEqual(parseCsv(table.header + table.line(rowOf(fields))), [paths, ['ada', 'Ulm', 'Ada', '{"city":"Ulm"}', '']]);
  throws(() => CsvTable.ofPaths(['a', 'b.'], { isExact: false }), /^TypeError: b\.: not a field path$/);
});

test('csv: fields beyond 1,000 columns share one, so that none is lost', () => {
  const fields = Object.fromEntries(Array.from({ length: 1_002 }, (_, n) => [`f${n}`, { integerValue: String(n) }]));
  const table = CsvTable.ofSchema(schemaOf(fields), { isExact: false });
  const [names = [], cells = []] = parseCsv(table.header + table.line(rowOf(fields)));
  deepEqual([names.length, names.at(-1), cells.at(-2), cells.at(-1)], [1_005, '__other__', '999', '{"f1000":1000,"f1001":1001}']);
});
