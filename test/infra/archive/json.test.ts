/** `bms archive … --json`: every command prints one JSON value. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, test } from 'vitest';
import { runArchive } from '../../harness/env/run-archive-command.ts';

const folder = fileURLToPath(new URL('../../fixture/archive/v2', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const expected = JSON.parse(readFileSync(join(folder, 'bkp_full', 'expected.json'), 'utf8')) as {
  readonly digest: string;
  readonly passphrase: string;
  readonly dataKey: string;
};

const jsonOf = async (...words: readonly string[]): Promise<{ readonly code: number | null; readonly value: unknown }> => {
  const { code, out } = await runArchive(['--json', ...words], { ARCHIVE_PASSPHRASE: expected.passphrase });
  return { code, value: JSON.parse(out) };
};

test('archive ls --json: the backups of a folder', async () => {
  const { value } = await jsonOf('ls', folder);
  const backups = value as readonly { readonly bytes: number }[];
  deepEqual(
    backups.map(({ bytes, ...backup }) => ({ ...backup, hasBytes: bytes > 0 })),
    ['bkp_empty', 'bkp_full', 'bkp_increment'].map((name) => ({
      location: `${folder}/${name}`,
      folder: name,
      complete: true,
      keys: ['passphrase'],
      objects: name === 'bkp_empty' ? 3 : 4,
      hasBytes: true,
    })),
  );
});

test('archive ls --json: collections, documents, missing documents, and nothing', async () => {
  const backup = join(folder, 'bkp_full');
  deepEqual((await jsonOf('ls', backup)).value, [
    { type: 'collection', path: 'hard', documents: 14 },
    { type: 'collection', path: 'large', documents: 80 },
    { type: 'collection', path: 'missing', documents: 2 },
    { type: 'collection', path: 'types', documents: 2 },
  ]);
  deepEqual((await jsonOf('ls', backup, 'types')).value, [
    { type: 'document', path: 'types/all', missing: false },
    { type: 'document', path: 'types/empty', missing: false },
  ]);
  deepEqual((await jsonOf('ls', backup, 'missing')).value, [{ type: 'document', path: 'missing/parent', missing: true }]);
  deepEqual((await jsonOf('ls', backup, 'types/all')).value, []);
});

test('archive verify --json: the result, and the findings of a damaged backup with exit code 1', async () => {
  const { code, value } = await jsonOf('verify', join(folder, 'bkp_full'));
  const { bytes, ...result } = value as { readonly bytes: number };
  equal(code, 0);
  equal(bytes > 0, true);
  deepEqual(result, {
    backup: 'bkp_full',
    status: 'passed',
    depth: 'whole',
    objects: 2,
    documents: 98,
    digest: expected.digest,
    openedBy: 'the passphrase',
    findings: [],
  });
  const damaged = join(scratch, 'bkp_full');
  cpSync(join(folder, 'bkp_full'), damaged, { recursive: true });
  rmSync(join(damaged, 'chunk'), { recursive: true });
  const failed = await jsonOf('verify', damaged);
  const { status, findings } = failed.value as { readonly status: string; readonly findings: readonly string[] };
  deepEqual([failed.code, status, findings.length], [1, 'failed', 1]);
  match(findings[0] ?? '', /^bkp_full\/chunk\/00000000-0000: is missing$/);
});

test('archive key --json and cat --json', async () => {
  const key = Buffer.from(expected.dataKey, 'hex').toString('base64url');
  deepEqual((await jsonOf('key', join(folder, 'bkp_full'))).value, [{ backup: 'bkp_full', key }]);
  const { value } = await jsonOf('cat', join(folder, 'bkp_full'), 'types/empty');
  match((value as { readonly name: string }).name, /\/types\/empty$/);
});

test('archive --quiet: names, results and errors only', async () => {
  const quiet = (...words: readonly string[]) => runArchive(['--quiet', ...words], { ARCHIVE_PASSPHRASE: expected.passphrase });
  const full = join(folder, 'bkp_full');
  const listed = await quiet('ls', folder);
  deepEqual(
    [listed.out.trimEnd().split('\n'), listed.err],
    [['bkp_empty', 'bkp_full', 'bkp_increment'].map((name) => `${folder}/${name}`), ''],
  );
  const collections = await quiet('ls', full);
  equal(collections.err, '');
  match(collections.out, /^\S+$/m);
  const verified = await quiet('verify', full);
  deepEqual([verified.code, verified.out, verified.err], [0, 'bkp_full\n', '']);
  const exported = await quiet('export', full);
  deepEqual([exported.code, exported.err], [0, '']);
  equal((await quiet('key', full)).err, '');
  const refused = await quiet('cat', full, 'no/such');
  deepEqual([refused.code, /not/.test(refused.err)], [2, true]);
});
