/** Parquet files, read by another library. */
import { deepEqual, equal } from 'node:assert/strict';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { test } from 'vitest';
import { exportRow, ParquetFile, TableSchema } from '../../../shared/export-format/index.ts';
import type { RestFields } from '../../../shared/firestore/index.ts';
import { everyValue, exportRoot } from '../../harness/builders/every-value.ts';

const fileOf = (documents: readonly RestFields[], rowGroup = Number.POSITIVE_INFINITY): ArrayBuffer => {
  const schema = new TableSchema();
  for (const fields of documents) schema.add(fields);
  const file = new ParquetFile(schema);
  const parts: Buffer[] = [];
  for (const [n, fields] of documents.entries()) {
    file.add(exportRow({ name: `${exportRoot}/users/${n}`, fields, createTime: '2024-01-01T00:00:00.000001Z' }, exportRoot));
    if ((n + 1) % rowGroup === 0) parts.push(Buffer.from(file.takeRowGroup()));
  }
  parts.push(file.finish());
  const bytes = Buffer.concat(parts);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
};

const exact = {
  timestampFromMilliseconds: (value: bigint) => value,
  timestampFromMicroseconds: (value: bigint) => value,
  timestampFromNanoseconds: (value: bigint) => value,
  dateFromDays: (value: number) => value,
  stringFromBytes: (value: Uint8Array) => Buffer.from(value).toString(),
} as never;
const read = (file: ArrayBuffer): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file, utf8: false, parsers: exact }) as Promise<Record<string, unknown>[]>;

test('parquet: every value has a column of its type and is read exactly', async () => {
  const file = fileOf([everyValue, {}]);
  const [row = {}, none = {}] = await read(file);
  const { mixed, bytes, map, ...rest } = row;
  deepEqual(rest, {
    __path__: 'users/0',
    __id__: '0',
    __createTime__: 1_704_067_200_000_001n,
    __updateTime__: null,
    nothing: null,
    yes: true,
    no: false,
    least: -9223372036854775808n,
    greatest: 9223372036854775807n,
    ratio: 1.5,
    minusZero: -0,
    notANumber: Number.NaN,
    infinite: Number.NEGATIVE_INFINITY,
    text: 'Grüße 東京 🚀\r\n"two" lines, one\ttab',
    empty: '',
    when: 1_704_164_645_123_456n,
    before: -315_619_199_500_000n,
    first: -62_135_596_800_000_000n,
    where: { latitude: 35.5, longitude: -139.25 },
    nowhere: { latitude: 0, longitude: 0 },
    own: 'users/ada',
    foreign: 'projects/other/databases/second/documents/c/__id7__',
    vector: [0.5, -1.5],
    tags: ['a', null, 'b'],
    noTags: [],
    noFields: '{}',
  });
  deepEqual(mixed, ['1', '"two"', '[3]', '{}']);
  deepEqual(Buffer.from(bytes as Uint8Array).toString('base64'), 'AAH+/w==');
  deepEqual(map, {
    'a.b': 7n,
    deeper: { times: [1_704_067_200_000_000n] },
    list: [{ n: 1n }, { n: null }],
    none: [],
  });
  deepEqual(
    Object.entries(none).filter(([name, value]) => (value ?? null) !== null && !name.startsWith('__')),
    [],
  );
  const types = parquetSchema(parquetMetadata(file)).children.map(({ element }) => [
    element.name,
    element.logical_type?.type ?? element.type ?? 'STRUCT',
  ]);
  deepEqual(
    Object.fromEntries(types.slice(2, 12)),
    Object.fromEntries([
      ['__createTime__', 'TIMESTAMP'],
      ['__updateTime__', 'TIMESTAMP'],
      ['nothing', 'STRING'],
      ['yes', 'BOOLEAN'],
      ['no', 'BOOLEAN'],
      ['least', 'INT64'],
      ['greatest', 'INT64'],
      ['ratio', 'DOUBLE'],
      ['minusZero', 'DOUBLE'],
      ['notANumber', 'DOUBLE'],
    ]),
  );
});

test('parquet: row groups, of which memory holds one, give the same rows as one', async () => {
  const documents = Array.from(
    { length: 1_000 },
    (_, n): RestFields => ({
      n: { integerValue: String(n) },
      ...(n % 3 === 0 && { price: n % 2 === 0 ? { integerValue: '10' } : { doubleValue: 9.5 } }),
      ...(n % 5 === 0 && { either: n % 2 === 0 ? { stringValue: 'x' } : { integerValue: '1' } }),
    }),
  );
  const [one, many] = [fileOf(documents), fileOf(documents, 128)];
  equal(parquetMetadata(one).row_groups.length, 1);
  equal(parquetMetadata(many).row_groups.length, 8);
  const rows = await read(many);
  deepEqual(rows, await read(one));
  deepEqual(
    [0, 3, 5, 10].map((n) => [rows[n]?.n, rows[n]?.price, rows[n]?.either]),
    [
      [0n, 10, '"x"'],
      [3n, 9.5, null],
      [5n, null, '1'],
      [10n, null, '"x"'],
    ],
  );
});

test('parquet: fields beyond 1,000 columns are in one of JSON', async () => {
  const fields = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, { integerValue: String(n) }]));
  const [row = {}, none = {}] = await read(fileOf([fields, { f0: { integerValue: '0' } }]));
  deepEqual([row.f999, row.__other__, none.f0, none.__other__], [999n, '{"f1000":1000}', 0n, null]);
});
