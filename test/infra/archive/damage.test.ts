/** The archive command reports damaged, incomplete and missing backups and invalid arguments. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { documentCount, passphrase, sampleBackup, writeObjects } from '../../harness/builders/sample-archive-folder.ts';
import { type Run, runArchive } from '../../harness/env/run-archive-command.ts';

const scratch = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const { objects, digest } = await sampleBackup();
const run = (...args: readonly string[]): Promise<Run> => runArchive(args, { ARCHIVE_PASSPHRASE: passphrase });

/** A copy of the backup in which one object is changed or missing. */
const changed = (name: string, change: (bytes: Buffer) => Buffer | undefined): string => {
  const folder = join(mkdtempSync(join(scratch, 'case-')), 'bkp_a');
  const bytes = change(Buffer.from(objects.get(name) ?? []));
  writeObjects(
    folder,
    new Map([...objects, ...(bytes ? ([[name, bytes]] as const) : [])].filter(([key]) => bytes || key !== name)),
  );
  return folder;
};
const flipped =
  (at: number) =>
  (bytes: Buffer): Buffer => {
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
const truncated = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length - 100);
const chunk = 'chunk/00000000-0000';
const index = 'index/00000000-0000';
const middle = (objects.get(chunk)?.length ?? 0) >> 1;

test('archive verify: an intact backup passes, as plain files and as the local S3 stores it', async () => {
  const [plain, kept] = [join(scratch, 'plain', 'bkp_a'), join(scratch, 'kept', 'buckets', 'b', 'objects', 'x', 'bkp_a')];
  writeObjects(plain, objects);
  writeObjects(kept, objects, true);
  const [one, other, document, found] = await Promise.all([
    run('verify', plain, '--digest', digest),
    run('verify', `${kept}/`, '--full'),
    run('cat', kept, 'things/0000007'),
    run('ls', join(scratch, 'kept')),
  ]);
  for (const { code, out, err } of [one, other]) {
    equal(code, 0, err);
    match(
      out,
      new RegExp(`^ok: bkp_a, 2 objects, .* ${documentCount.toLocaleString('en')} documents, manifest digest ${digest}`),
    );
  }
  equal((JSON.parse(document.out) as { name: string }).name.split('/').at(-1), '0000007');
  match(found.out, /\/kept\/buckets\/b\/objects\/x\/bkp_a {2}complete {2}key: passphrase {2}4 objects/);
});

for (const [damage, name, change, message] of [
  ['a flipped byte of a chunk', chunk, flipped(middle), /^bkp_a\/chunk\/00000000-0000: .*\(tag-mismatch\)$/m],
  ['a truncated chunk', chunk, truncated, /^bkp_a\/chunk\/00000000-0000: has [\d,]+ bytes, expected [\d,]+$/m],
  ['a missing chunk', chunk, () => undefined, /^bkp_a\/chunk\/00000000-0000: is missing$/m],
  ['a flipped byte of an index', index, flipped(400), /^bkp_a\/index\/00000000-0000: .*\)$/m],
  ['a flipped byte of the manifest', 'manifest', flipped(500), /^manifest: .*\(tag-mismatch\)$/m],
  ['a missing manifest', 'manifest', () => undefined, /^manifest: is missing: the backup never completed/m],
  ['a missing key', 'key', () => undefined, /^bkp_a\/key: is missing$/m],
  ['an unreadable key', 'key', () => Buffer.from('{'), /^bkp_a\/key: .*\(bad-magic\)$/m],
] as const)
  test(`archive verify: ${damage} gives exit code 1 and names the object`, async () => {
    const { code, out, err } = await run('verify', changed(name, change));
    match(out + err, message);
    equal(code, 1);
  });

test('archive export: damage names the object and leaves no file behind', async () => {
  const file = join(scratch, 'out.ndjson');
  const { code, err } = await run('export', changed(chunk, flipped(middle)), '--out', file);
  equal(code, 1);
  match(err, /^bkp_a\/chunk\/00000000-0000: .*\(tag-mismatch\)$/m);
  ok(!existsSync(file));
  deepEqual(
    readdirSync(scratch).filter((name) => name.startsWith('out')),
    [],
  );
});

test('archive: invalid arguments give one line and exit code 2', async () => {
  const folder = changed(chunk, (bytes) => bytes);
  mkdirSync(join(scratch, 'nothing'));
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['verify', folder, '--passphrase', 'hunter22'], /^verify: too many arguments/],
    [['verify', join(scratch, 'not-there')], /^folder not found: .*not-there/],
    [['verify', join(scratch, 'nothing')], /^no backup found at .*nothing/],
    [['verify', join(folder, '..')], /contains 1 backups: choose one that ls lists/],
    [['verify', 'gs://x/y'], /^GOOGLE_APPLICATION_CREDENTIALS must name/],
  ];
  const runs = await Promise.all(cases.map(([args]) => run(...args)));
  for (const [n, { code, err }] of runs.entries()) {
    match(err, cases[n]?.[1] ?? /x/);
    equal(err.trimEnd().split('\n').length, 1, err);
    ok(!err.includes('hunter22'));
    equal(code, 2, err);
  }
});

test('archive: a wrong passphrase, a wrong key and a missing key have different messages', async () => {
  const folder = changed(chunk, (bytes) => bytes);
  const [wrong, none, key, text] = await Promise.all([
    runArchive(['ls', folder], { ARCHIVE_PASSPHRASE: 'another passphrase' }),
    runArchive(['ls', folder]),
    runArchive(['ls', folder], { ARCHIVE_KEY: Buffer.alloc(32).toString('base64url') }),
    runArchive(['ls', folder], { ARCHIVE_KEY: 'secret-but-no-key' }),
  ]);
  equal(wrong.err, 'the passphrase does not open this backup\n');
  match(none.err, /^bkp_a\/key: the key is wrapped by a passphrase; set ARCHIVE_PASSPHRASE/);
  equal(key.err, 'manifest: was modified, or the provided key belongs to another backup\n');
  equal(text.err, 'ARCHIVE_KEY: not a 32-byte data key in base64url\n');
  deepEqual([wrong.code, none.code, key.code, text.code], [2, 2, 1, 2]);
});
