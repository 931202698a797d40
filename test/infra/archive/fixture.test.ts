/** Every archive command on stored fixtures: a full, an incremental and an empty backup. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, test } from 'vitest';
import { lines, outputs, type Run, runArchive } from '../../harness/env/run-archive-command.ts';

const folder = fileURLToPath(new URL('../../fixture/archive/v2', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Expected {
  readonly digest: string;
  readonly passphrase: string;
  readonly dataKey: string;
}
const expectedOf = (backup: string): Expected =>
  JSON.parse(readFileSync(join(folder, backup, 'expected.json'), 'utf8')) as Expected;
const recordsOf = (backup: string): readonly { kind: number; name: string }[] =>
  lines(readFileSync(join(folder, backup, 'expected.ndjson'), 'utf8')).map((line) => JSON.parse(line));
const { passphrase: ARCHIVE_PASSPHRASE } = expectedOf('bkp_full');
const run = (...words: readonly string[]): Promise<Run> => runArchive(words, { ARCHIVE_PASSPHRASE });
const root = 'projects/p/databases/(default)/documents';

test('archive ls: lists the backups of a folder without a key', async () => {
  const { code, out } = await runArchive(['ls', folder]);
  equal(code, 0);
  deepEqual(
    lines(out).map((line) => line.replace(/ [\d,]+ bytes$/, '')),
    [
      'bkp_empty  complete  key: passphrase  3 objects ',
      'bkp_full  complete  key: passphrase  4 objects ',
      'bkp_increment  complete  key: passphrase  4 objects ',
    ].map((line) => `${folder}/${line}`),
  );
});

for (const backup of ['bkp_full', 'bkp_increment', 'bkp_empty'])
  test(`archive verify: ${backup} is intact and its manifest matches the digest`, async () => {
    const { digest } = expectedOf(backup);
    const documents = recordsOf(backup).filter(({ kind }) => kind === 1).length;
    const { code, out } = await run('verify', join(folder, backup), '--full', '--digest', digest);
    match(
      out,
      new RegExp(
        `^ok: ${backup}, \\d objects, [\\d,]+ bytes, ${documents} documents, manifest digest ${digest}, opened by the passphrase\n$`,
      ),
    );
    equal(code, 0);
  });

for (const backup of ['bkp_full', 'bkp_increment'])
  test(`archive export: writes every document of ${backup} once and in order, without tombstones`, async () => {
    const { code, out, err } = await run('export', join(folder, backup));
    equal(code, 0, err);
    const documents = recordsOf(backup).filter(({ kind }) => kind === 1);
    deepEqual(
      lines(out).map((line) => (JSON.parse(line) as { name: string }).name),
      documents.map(({ name }) => name),
    );
    match(err, /100 % {2}\d+ of \d+ documents\nexported \d+ documents\n1 users were not exported; use --users\n$/);
  });

test('archive export: 64-bit integers, number types, NaN, -0, bytes and nanoseconds are exact', async () => {
  const { code, out } = await run('export', join(folder, 'bkp_full'), '--collection', 'types');
  equal(code, 0);
  const [text = ''] = lines(out);
  for (const part of [
    '"least":{"integerValue":"-9223372036854775808"}',
    '"greatest":{"integerValue":"9223372036854775807"}',
    '"zero":{"integerValue":"0"}',
    '"whole":{"doubleValue":3}',
    '"minusZero":{"doubleValue":-0',
    '"notANumber":{"doubleValue":"NaN"}',
    '"infinite":{"doubleValue":"-Infinity"}',
    '"small":{"doubleValue":5e-324}',
    '"text":{"stringValue":"Grüße 東京 🚀 \\u0000 end"}',
    '"bytes":{"bytesValue":"AAH+/w=="}',
    '"when":{"timestampValue":"0001-01-01T00:00:00Z"}',
    '"until":{"timestampValue":"9999-12-31T23:59:59.999999999Z"}',
    '"where":{"geoPointValue":{"latitude":-90,"longitude":180}}',
    `"reference":{"referenceValue":"${root}/c/other"}`,
    '"createTime":"2023-11-14T22:13:20.123456Z","updateTime":"2023-11-14T22:13:20.654321Z"}',
  ])
    ok(text.includes(part), part);
  deepEqual(
    lines(out).map((line) => (JSON.parse(line) as { name: string }).name),
    [`${root}/types/all`, `${root}/types/empty`],
  );
});

test('archive ls: shows document counts of collections and marks missing documents, whatever their ids', async () => {
  const backup = join(folder, 'bkp_full');
  const [all, hard, missing, below] = await Promise.all([
    run('ls', backup),
    run('ls', backup, 'hard'),
    run('ls', backup, `${root}/missing/`),
    run('ls', backup, 'missing/parent'),
  ]);
  deepEqual(
    lines(all.out).map((line) => line.trim().split(/\s+/)),
    [
      ['14', 'hard'],
      ['80', 'large'],
      ['2', 'missing'],
      ['2', 'types'],
    ],
  );
  const names = recordsOf('bkp_full').map(({ name }) => name.slice(root.length + 1));
  deepEqual(
    lines(hard.out).map((line) => (line.startsWith('"') ? JSON.parse(line) : line)),
    names.filter((name) => name.startsWith('hard/')),
  );
  equal(missing.out, 'missing/parent  (does not exist, but has subcollections)\n');
  deepEqual(lines(below.out)[0]?.trim().split(/\s+/), ['2', 'missing/parent/below']);
});

test('archive cat: prints a document or a user and reports missing, deleted and invalid paths', async () => {
  const [one, user, none, gone, collection] = await Promise.all([
    run('cat', join(folder, 'bkp_full'), 'hard/__id7__'),
    run('cat', join(folder, 'bkp_full'), 'accounts/uid-1'),
    run('cat', join(folder, 'bkp_full'), 'hard/none'),
    run('cat', join(folder, 'bkp_increment'), recordsOf('bkp_increment').find(({ kind }) => kind === 2)?.name ?? ''),
    run('cat', join(folder, 'bkp_full'), 'hard'),
  ]);
  equal((JSON.parse(one.out) as { name: string }).name, `${root}/hard/__id7__`);
  deepEqual(JSON.parse(user.out), { localId: 'uid-1', email: 'a@example.com' });
  deepEqual([none.code, gone.code, collection.code], [2, 2, 2]);
  for (const { out } of [none, gone, collection]) equal(out, '');
  equal(none.err, 'hard/none: not found in this backup\n');
});

test('archive key: the printed keys open the backup and the backups it references without the passphrase', async () => {
  const backup = join(folder, 'bkp_increment');
  const { code, out, err } = await run('key', backup);
  equal(code, 0);
  match(err, /store it offline/);
  const keyOf = (id: string): string => Buffer.from(expectedOf(id).dataKey, 'hex').toString('base64url');
  equal(out, `${keyOf('bkp_increment')}\nbkp_full ${keyOf('bkp_full')}\n`);
  const file = join(scratch, 'keys');
  writeFileSync(file, out);
  const [byFile, byVariable, tooFew] = await Promise.all([
    runArchive(['verify', backup, '--key-file', file]),
    runArchive(['cat', join(folder, 'bkp_full'), 'types/empty'], { ARCHIVE_KEY: keyOf('bkp_full') }),
    runArchive(['verify', backup], { ARCHIVE_KEY: keyOf('bkp_increment') }),
  ]);
  equal(byFile.code, 0, byFile.err);
  match(byFile.out, /, opened by the provided data key\n$/);
  equal(byVariable.code, 0, byVariable.err);
  equal(tooFew.code, 2);
  match(tooFew.err, /bkp_full\/key: the key is wrapped by a passphrase; set ARCHIVE_PASSPHRASE/);
});

test('archive: an incremental backup names the missing folder or key of the backup it references', async () => {
  const [alone, keyless] = [join(scratch, 'alone'), join(scratch, 'keyless')];
  for (const place of [alone, keyless]) cpSync(join(folder, 'bkp_increment'), join(place, 'bkp_increment'), { recursive: true });
  cpSync(join(folder, 'bkp_full'), join(keyless, 'bkp_full'), { recursive: true });
  rmSync(join(keyless, 'bkp_full/key'));
  const [missing, shown, locked] = await Promise.all([
    run('verify', join(alone, 'bkp_increment')),
    run('export', join(alone, 'bkp_increment')),
    run('verify', join(keyless, 'bkp_increment'), '--quick'),
  ]);
  deepEqual([missing.code, shown.code, locked.code], [1, 1, 1]);
  const folderLacks = `bkp_full: is missing: bkp_increment references it, so it must exist as ${alone}/bkp_full\n`;
  equal(missing.out, folderLacks);
  equal(shown.err, folderLacks);
  equal(locked.out, 'bkp_full/key: is missing, and no key was provided for that backup\n');
});

test('archive export: --users writes only users, and the file appears once it is complete', async () => {
  const file = join(scratch, 'users.ndjson');
  const { code, out } = await run('export', join(folder, 'bkp_full'), '--users', '--out', file);
  equal(code, 0);
  equal(out, '');
  equal(readFileSync(file, 'utf8'), '{"localId":"uid-1","email":"a@example.com"}\n');
});

test('archive: no output contains a passphrase or a key', () => {
  ok(outputs.length > 20);
  const secrets = [ARCHIVE_PASSPHRASE, Buffer.from(expectedOf('bkp_full').dataKey, 'hex').toString('base64url')];
  for (const text of outputs) for (const secret of secrets) ok(!text.includes(secret));
});
