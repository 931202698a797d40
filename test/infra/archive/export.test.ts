/** `archive export` in every format, judged by readers of those formats. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, test } from 'vitest';
import { proto, type Value } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { parseCsv } from '../../harness/builders/parse-csv.ts';
import { root, type Sample, type Time } from '../../harness/builders/sample-archive.ts';
import { passphrase, sampleBackup, writeObjects } from '../../harness/builders/sample-archive-folder.ts';
import { lines, type Run, runArchive } from '../../harness/env/run-archive-command.ts';

const scratch = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const at: Time = { seconds: 1_700_000_000, nanos: 123_456_000 };
const time = { seconds: BigInt(at.seconds), nanos: at.nanos };
const documentOf = (path: string, fields: Readonly<Record<string, Value>>): Sample => {
  const name = `${root}/${path}`;
  const entries = Object.entries(fields).map(([field, value]) => [field, proto.Value.encode(value)] as const);
  const bytes = proto.Document.encode({ name, fields: new Map(entries), createTime: time, updateTime: time });
  return { name: Buffer.from(name), bytes: Buffer.from(bytes), updated: at };
};
const folder = join(scratch, 'bkp_a');
const documents = [
  documentOf('users/ada', { email: { stringValue: 'ada@example.com' }, age: { integerValue: 36n } }),
  documentOf('users/ada/orders/1', { price: { integerValue: 10n }, note: { stringValue: '=HYPERLINK("x")' } }),
  documentOf('users/ben', { email: { stringValue: 'ben@example.com' }, age: { integerValue: 7n } }),
  documentOf('users/ben/orders/2', { price: { doubleValue: 9.5 }, note: { stringValue: 'two\nlines' } }),
  documentOf('Ünï cödé/x', { n: { integerValue: 1n } }),
];
writeObjects(folder, (await sampleBackup(undefined, undefined, { documents })).objects);
const run = (...args: readonly string[]): Promise<Run> =>
  runArchive(['export', folder, '--quiet', ...args], { ARCHIVE_PASSPHRASE: passphrase });
const filesIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(path, name)).isFile())
    .sort();

test('archive export: plain NDJSON has a line per document', async () => {
  const { code, out, err } = await run('--format', 'ndjson', '--collection', 'users');
  equal(code, 0, err);
  const rows = lines(out).map((line) => JSON.parse(line));
  deepEqual(
    rows.map(({ __path__ }) => __path__),
    ['users/ada', 'users/ada/orders/1', 'users/ben', 'users/ben/orders/2'],
  );
  const moment = '2023-11-14T22:13:20.123456Z';
  deepEqual(rows[0], {
    __path__: 'users/ada',
    __id__: 'ada',
    __createTime__: moment,
    __updateTime__: moment,
    email: 'ada@example.com',
    age: 36,
  });
});

test('archive export: collections that the backup lacks are named, and an export of none of them fails', async () => {
  const collections = ['--collection', 'users/ada/orders', '--collection', 'nobody'];
  const some = await runArchive(['export', folder, '--format', 'ndjson', ...collections], { ARCHIVE_PASSPHRASE: passphrase });
  deepEqual([some.code, lines(some.out).length], [0, 1]);
  match(some.err, /not in the backup: nobody/);
  for (const format of ['ndjson', 'csv']) {
    const out = join(scratch, `none-${format}`);
    const none = await run('--format', format, '--out', out, '--collection', 'nobody', '--collection', 'users/ben/x');
    deepEqual([none.code, existsSync(out), existsSync(`${out}.partial`)], [2, false, false]);
    match(none.err, /has none of the requested collections: nobody, users\/ben\/x/);
  }
});

test('archive export: csv has a file for each collection id, readable by its owner only, without formulas', async () => {
  const out = join(scratch, 'csv');
  const { code, err } = await run('--format', 'csv', '--out', out);
  equal(code, 0, err);
  deepEqual(filesIn(out), ['%C3%9Cn%C3%AF%20c%C3%B6d%C3%A9.csv', 'orders.csv', 'users.csv']);
  equal(statSync(out).mode & 0o777, 0o700);
  equal(statSync(join(out, 'users.csv')).mode & 0o777, 0o600);
  ok(!existsSync(`${out}.partial`));
  const [names = [], ...rows] = parseCsv(readFileSync(join(out, 'orders.csv'), 'utf8'));
  deepEqual([names[0], ...names.slice(4)], ['__path__', 'price', 'note']);
  deepEqual(
    rows.map(([path, , , , ...cells]) => [path, ...cells]),
    [
      ['users/ada/orders/1', '10', '\'=HYPERLINK("x")'],
      ['users/ben/orders/2', '9.5', 'two\nlines'],
    ],
  );
});

test('archive export: csv with given columns, and exact texts', async () => {
  const out = join(scratch, 'columns');
  const { code, err } = await run('--format', 'csv', '--out', out, '--columns', '__id__,note,`price`', '--exact-text');
  equal(code, 0, err);
  deepEqual(parseCsv(readFileSync(join(out, 'orders.csv'), 'utf8')), [
    ['__id__', 'note', '`price`'],
    ['1', '=HYPERLINK("x")', '10'],
    ['2', 'two\nlines', '9.5'],
  ]);
});

test('archive export: parquet has a file for each collection id and range, with typed columns', async () => {
  const out = join(scratch, 'parquet');
  const { code, err } = await run('--format', 'parquet', '--out', out, '--collection', 'users');
  equal(code, 0, err);
  deepEqual(filesIn(out), ['orders/part-00001.parquet', 'users/part-00001.parquet']);
  const read = async (name: string): Promise<unknown[]> => {
    const bytes = readFileSync(join(out, name, 'part-00001.parquet'));
    return parquetReadObjects({ file: Uint8Array.from(bytes).buffer });
  };
  const moment = new Date('2023-11-14T22:13:20.123Z');
  const times = { __createTime__: moment, __updateTime__: moment };
  deepEqual(await read('users'), [
    { __path__: 'users/ada', __id__: 'ada', ...times, email: 'ada@example.com', age: 36n },
    { __path__: 'users/ben', __id__: 'ben', ...times, email: 'ben@example.com', age: 7n },
  ]);
  deepEqual(
    (await read('orders')).map((row) => (row as { price: unknown }).price),
    [10, 9.5],
  );
});

test("archive export: google's format has the files that imports look for", async () => {
  const out = join(scratch, 'google');
  const { code, err } = await run('--format', 'google', '--out', out, '--collection', 'users');
  equal(code, 0, err);
  const kinds = ['orders', 'users'].flatMap((id) => [
    `firestore_export/all_namespaces/kind_${id}/all_namespaces_kind_${id}.export_metadata`,
    `firestore_export/all_namespaces/kind_${id}/output-0`,
  ]);
  const overall = 'firestore_export/firestore_export.overall_export_metadata';
  deepEqual(filesIn(out), ['firebase-export-metadata.json', ...kinds, overall]);
  const { firestore } = JSON.parse(readFileSync(join(out, 'firebase-export-metadata.json'), 'utf8'));
  deepEqual([firestore.path, firestore.metadata_file], ['firestore_export', overall]);
  const pointers = readFileSync(join(out, overall)).toString('latin1');
  for (const id of ['orders', 'users'])
    ok(pointers.includes(`all_namespaces/kind_${id}/all_namespaces_kind_${id}.export_metadata`), id);
  const output = readFileSync(join(out, 'firestore_export/all_namespaces/kind_users/output-0')).toString('latin1');
  ok(output.includes('ada@example.com') && output.includes('ben@example.com') && !output.includes('HYPERLINK'));
});

const rulesIn = (name: string, rules: unknown): string => {
  const file = join(scratch, name);
  writeFileSync(file, JSON.stringify(rules));
  return file;
};
const email = { collection: 'users', field: 'email', transform: 'hash' };

test('archive export: a mask hides what its rules name, in every format, and differs from export to export', async () => {
  const mask = rulesIn('rules.json', [email]);
  const [typed, plain, table] = await Promise.all([
    run('--mask', mask),
    run('--mask', mask, '--format', 'ndjson'),
    run('--mask', mask, '--format', 'csv', '--out', join(scratch, 'masked')),
  ]);
  const csv = readFileSync(join(scratch, 'masked/users.csv'), 'utf8');
  const hashes = [typed.out, plain.out, csv].map((text) => {
    ok(!text.includes('@example.com') && text.includes('36'), text);
    return /[0-9a-f]{32}/.exec(text)?.[0];
  });
  equal(new Set(hashes).size, 3);
  ok(!hashes.includes(undefined));
  deepEqual([typed.code, plain.code, table.code], [0, 0, 0]);
});

test('archive export: a rule that matches nothing, or that is wrong, is refused, and leaves no folder', async () => {
  const out = join(scratch, 'refused');
  const rule = { ...email, field: 'emial' };
  const [unmatched, wrong, allowed] = await Promise.all([
    run('--format', 'parquet', '--out', out, '--mask', rulesIn('unmatched.json', { rules: [email, rule] })),
    run('--mask', rulesIn('wrong.json', [{ ...email, transform: 'fake' }])),
    run('--mask', rulesIn('allowed.json', { rules: [rule], allowUnmatched: true })),
  ]);
  deepEqual([unmatched.code, wrong.code, allowed.code], [2, 2, 0]);
  match(unmatched.err, /^--mask: rule 2 \(hash for emial in users\) matches no field of the documents to export; /);
  match(wrong.err, /^--mask \S+wrong\.json: rules\.0\.type: is required with fake/);
  equal(wrong.out, '');
  deepEqual([existsSync(out), existsSync(`${out}.partial`)], [false, false]);
});

test('archive export: an existing folder is kept, and what a killed export left is replaced by --force only', async () => {
  const out = join(scratch, 'kept');
  writeFileSync(`${out}.partial`, '');
  const args = ['--format', 'csv', '--out', out];
  const left = await run(...args);
  deepEqual([left.code, left.err], [2, `${out}.partial: already exists; --force replaces it\n`]);
  equal((await run(...args, '--force')).code, 0);
  const again = await run(...args, '--force');
  deepEqual([again.code, again.err], [2, `${out}: already exists\n`]);
  ok(existsSync(join(out, 'users.csv')));
});
