/** What the command says of backups that are damaged, incomplete or not there, and of words it does not understand. */
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
const run = (...words: readonly string[]): Promise<Run> => runArchive(words, { ARCHIVE_PASSPHRASE: passphrase });

/** A copy of the backup in which one object is another, or missing. */
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
const cut = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length - 100);
const chunk = 'chunk/00000000-0000';
const index = 'index/00000000-0000';
const middle = (objects.get(chunk)?.length ?? 0) >> 1;

test('as it was written it is whole, as plain files and as an S3 server keeps files', async () => {
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

for (const [what, name, change, says] of [
  ['a byte of a chunk flipped', chunk, flipped(middle), /^bkp_a\/chunk\/00000000-0000: .*\(tag-mismatch\)$/m],
  ['the end of a chunk cut off', chunk, cut, /^bkp_a\/chunk\/00000000-0000: has [\d,]+ bytes, not [\d,]+$/m],
  ['a chunk missing', chunk, () => undefined, /^bkp_a\/chunk\/00000000-0000: is missing$/m],
  ['a byte of an index flipped', index, flipped(400), /^bkp_a\/index\/00000000-0000: .*\)$/m],
  ['a byte of the manifest flipped', 'manifest', flipped(500), /^manifest: .*\(tag-mismatch\)$/m],
  ['the manifest missing', 'manifest', () => undefined, /^manifest: is missing: the backup was never finished/m],
  ['the key missing', 'key', () => undefined, /^bkp_a\/key: is missing$/m],
  ['the key unreadable', 'key', () => Buffer.from('{'), /^bkp_a\/key: .*\(bad-magic\)$/m],
] as const)
  test(`${what}: exit code 1, and the object is named`, async () => {
    const { code, out, err } = await run('verify', changed(name, change));
    match(out + err, says);
    equal(code, 1);
  });

test('an export that meets damage names the object, and leaves no file behind', async () => {
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

test('what is asked for wrongly is one line and exit code 2', async () => {
  const folder = changed(chunk, (bytes) => bytes);
  mkdirSync(join(scratch, 'nothing'));
  const asked: readonly (readonly [readonly string[], RegExp])[] = [
    [['verify', folder, '--passphrase', 'hunter22'], /^verify: there is a word too many/],
    [['verify', join(scratch, 'not-there')], /^there is no folder .*not-there/],
    [['verify', join(scratch, 'nothing')], /^there is no backup at .*nothing/],
    [['verify', join(folder, '..')], /holds 1 backups: name one of those that ls lists/],
    [['verify', 'gs://x/y'], /^GOOGLE_APPLICATION_CREDENTIALS must name/],
  ];
  const runs = await Promise.all(asked.map(([words]) => run(...words)));
  for (const [n, { code, err }] of runs.entries()) {
    match(err, asked[n]?.[1] ?? /x/);
    equal(err.trimEnd().split('\n').length, 1, err);
    ok(!err.includes('hunter22'));
    equal(code, 2, err);
  }
});

test('another passphrase, another key and no key at all are told apart', async () => {
  const folder = changed(chunk, (bytes) => bytes);
  const [wrong, none, key, text] = await Promise.all([
    runArchive(['ls', folder], { ARCHIVE_PASSPHRASE: 'another passphrase' }),
    runArchive(['ls', folder]),
    runArchive(['ls', folder], { ARCHIVE_KEY: Buffer.alloc(32).toString('base64url') }),
    runArchive(['ls', folder], { ARCHIVE_KEY: 'secret-but-no-key' }),
  ]);
  equal(wrong.err, 'the passphrase does not open this backup\n');
  match(none.err, /^bkp_a\/key: wrapped by a passphrase: set ARCHIVE_PASSPHRASE/);
  equal(key.err, 'manifest: the given key is another one, or it was changed\n');
  equal(text.err, 'ARCHIVE_KEY: not a data key of 32 bytes in base64url\n');
  deepEqual([wrong.code, none.code, key.code, text.code], [2, 2, 1, 2]);
});
