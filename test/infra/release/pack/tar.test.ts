import { deepEqual, equal, throws } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { gzippedTar } from '../../../../infra/release/pack/tar.ts';

const longPath = `${'folder/'.repeat(18)}file.txt`;

test('tar: the system unpacks paths of any length, contents of any size and executables', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tar-'));
  const bytes = Buffer.alloc(1_536, 7);
  const archive = gzippedTar({
    'z.bin': { content: bytes },
    [longPath]: { content: 'Grüße' },
    'bin/run': { content: '', isExecutable: true },
  });
  writeFileSync(join(dir, 'a.tgz'), archive);
  const listed = execFileSync('tar', ['-tzvf', 'a.tgz', '--full-time', '--utc', '--numeric-owner'], {
    cwd: dir,
    encoding: 'utf8',
  });
  deepEqual(
    listed
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' ')),
    [
      '-rwxr-xr-x 0/0 0 1985-10-26 08:15:00 bin/run',
      `-rw-r--r-- 0/0 7 1985-10-26 08:15:00 ${longPath}`,
      '-rw-r--r-- 0/0 1536 1985-10-26 08:15:00 z.bin',
    ],
  );
  execFileSync('tar', ['-xzf', 'a.tgz'], { cwd: dir });
  deepEqual(readFileSync(join(dir, 'z.bin')), bytes);
  equal(readFileSync(join(dir, longPath), 'utf8'), 'Grüße');
  equal(statSync(join(dir, 'bin/run')).mode & 0o777, 0o755);
});

test('tar: the order of the files does not matter, and a path that does not fit is refused', () => {
  const [a, b] = [{ content: 'a' }, { content: 'b' }];
  deepEqual(gzippedTar({ a, b }), gzippedTar({ b, a }));
  throws(() => gzippedTar({ [`${'x'.repeat(101)}`]: a }), /no room for the path/);
});
