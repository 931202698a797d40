/** Exported files are judged by DuckDB, which shares no code with their writers: types, nulls, quotes and every digit. */
import { deepEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, test } from 'vitest';
import { CsvTable, type ExportRow, exportRow, ParquetFile, plainLine, TableSchema } from '../../../shared/export-format/index.ts';
import type { RestFields } from '../../../shared/firestore/index.ts';
import { everyValue, exportRoot } from '../../harness/builders/every-value.ts';

const hardText = 'Grüße 東京 🚀\r\n"two" lines, one\ttab';
const folder = mkdtempSync(join(tmpdir(), 'foreign-'));
let instance: DuckDBInstance;
let query: (sql: string) => Promise<Record<string, unknown>[]>;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  query = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
});
afterAll(() => {
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

const rowOf = (fields: RestFields, id: string): ExportRow =>
  exportRow({ name: `${exportRoot}/users/${id}`, fields, createTime: '2024-01-01T00:00:00.000001Z' }, exportRoot);

const schemaOf = (documents: readonly RestFields[]): TableSchema => {
  const schema = new TableSchema();
  for (const fields of documents) schema.add(fields);
  return schema;
};

const stored = (name: string, content: Uint8Array | string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return `'${path}'`;
};

const parquetOf = (name: string, documents: readonly RestFields[], rowsInGroup = Number.POSITIVE_INFINITY): string => {
  const file = new ParquetFile(schemaOf(documents));
  const parts: Uint8Array[] = [];
  for (const [n, fields] of documents.entries()) {
    file.add(rowOf(fields, String(n)));
    if ((n + 1) % rowsInGroup === 0) parts.push(file.takeRowGroup());
  }
  return stored(name, Buffer.concat([...parts, file.finish()]));
};

const typesOf = async (source: string): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    (await query(`describe select * from ${source}`)).map(({ column_name, column_type }) => [column_name, column_type]),
  );

test('DuckDB reads a Parquet file: each column has its type, structs and lists are nested', async () => {
  deepEqual(await typesOf(parquetOf('types.parquet', [everyValue, {}])), {
    __path__: 'VARCHAR',
    __id__: 'VARCHAR',
    __createTime__: 'TIMESTAMP WITH TIME ZONE',
    __updateTime__: 'TIMESTAMP WITH TIME ZONE',
    nothing: 'VARCHAR',
    yes: 'BOOLEAN',
    no: 'BOOLEAN',
    least: 'BIGINT',
    greatest: 'BIGINT',
    ratio: 'DOUBLE',
    minusZero: 'DOUBLE',
    notANumber: 'DOUBLE',
    infinite: 'DOUBLE',
    text: 'VARCHAR',
    empty: 'VARCHAR',
    bytes: 'BLOB',
    when: 'TIMESTAMP WITH TIME ZONE',
    before: 'TIMESTAMP WITH TIME ZONE',
    first: 'TIMESTAMP WITH TIME ZONE',
    where: 'STRUCT(latitude DOUBLE, longitude DOUBLE)',
    nowhere: 'STRUCT(latitude DOUBLE, longitude DOUBLE)',
    own: 'VARCHAR',
    foreign: 'VARCHAR',
    vector: 'DOUBLE[]',
    tags: 'VARCHAR[]',
    noTags: 'VARCHAR[]',
    mixed: 'VARCHAR[]',
    map: 'STRUCT("a.b" BIGINT, deeper STRUCT(times TIMESTAMP WITH TIME ZONE[]), list STRUCT(n BIGINT)[], "none" VARCHAR[])',
    noFields: 'VARCHAR',
  });
});

test('DuckDB reads a Parquet file: 64-bit integers, microseconds, nulls and nested values are exact', async () => {
  const source = parquetOf('values.parquet', [everyValue, {}]);
  const [row, none] = await query(`
    select least, greatest, ratio, isnan("notANumber") as "notANumber", infinite, text, empty, to_base64(bytes) as bytes,
      epoch_us("when") as "when", epoch_us(before) as before, epoch_us(first) as first, "where", nowhere, own, "foreign",
      vector, tags, "noTags", map, nothing, 1 / "minusZero" as "signOfZero"
    from ${source} order by __id__`);
  deepEqual(row, {
    least: '-9223372036854775808',
    greatest: '9223372036854775807',
    ratio: 1.5,
    notANumber: true,
    infinite: '-Infinity',
    text: hardText,
    empty: '',
    bytes: 'AAH+/w==',
    when: '1704164645123456',
    before: '-315619199500000',
    first: '-62135596800000000',
    where: { latitude: 35.5, longitude: -139.25 },
    nowhere: { latitude: 0, longitude: 0 },
    own: 'users/ada',
    foreign: 'projects/other/databases/second/documents/c/__id7__',
    vector: [0.5, -1.5],
    tags: ['a', null, 'b'],
    noTags: [],
    map: { 'a.b': '7', deeper: { times: ['2024-01-01 00:00:00+00'] }, list: [{ n: '1' }, { n: null }], none: [] },
    nothing: null,
    signOfZero: '-Infinity',
  });
  deepEqual(new Set(Object.values(none ?? {})), new Set([null]));
});

test('DuckDB reads a Parquet file of many row groups as one table', async () => {
  const documents = Array.from({ length: 1_000 }, (_, n): RestFields => ({ n: { integerValue: String(n) } }));
  const source = parquetOf('groups.parquet', documents, 128);
  deepEqual(await query(`select count(*) as count, sum(n) as sum, count(distinct __path__) as paths from ${source}`), [
    { count: '1000', sum: '499500', paths: '1000' },
  ]);
});

test('DuckDB reads a CSV file: quotes, line breaks, empty texts and missing fields', async () => {
  const documents: readonly RestFields[] = [everyValue, {}];
  const table = CsvTable.ofSchema(schemaOf(documents), { isExact: true });
  const lines = documents.map((fields, n) => table.line(rowOf(fields, String(n))));
  const source = stored('table.csv', [table.header, ...lines].join(''));
  const rows = await query(`
    select __path__, text, empty, least, greatest, own, tags
    from read_csv(${source}, all_varchar = true, allow_quoted_nulls = false) order by __id__`);
  deepEqual(rows, [
    {
      __path__: 'users/0',
      text: hardText,
      empty: '',
      least: '-9223372036854775808',
      greatest: '9223372036854775807',
      own: 'users/ada',
      tags: '["a",null,"b"]',
    },
    { __path__: 'users/1', text: null, empty: null, least: null, greatest: null, own: null, tags: null },
  ]);
});

test('DuckDB reads a file of NDJSON: nested values and every digit', async () => {
  const documents: readonly RestFields[] = [everyValue, {}];
  const lines = documents.map((fields, n) => plainLine(rowOf(fields, String(n))));
  const source = stored('lines.ndjson', lines.map((line) => `${line}\n`).join(''));
  const rows = await query(`
    select __path__, text, least, greatest, map.deeper.times[1] as time, "where".latitude as latitude
    from read_json(${source}, format = 'newline_delimited') order by __id__`);
  deepEqual(rows, [
    {
      __path__: 'users/0',
      text: hardText,
      least: '-9223372036854775808',
      greatest: '9223372036854775807',
      time: '2024-01-01 00:00:00',
      latitude: 35.5,
    },
    { __path__: 'users/1', text: null, least: null, greatest: null, time: null, latitude: null },
  ]);
});
