import { deepEqual, equal } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { inDepthFiles, isWholeSuite } from './in-depth-files.ts';

test('in-depth files: each exists, so that a renamed one is not run by npm test by accident', () => {
  const missing = inDepthFiles.filter((file) => !existsSync(fileURLToPath(new URL(`../../${file}`, import.meta.url))));
  deepEqual(missing, []);
});

describe('isWholeSuite', () => {
  for (const args of [
    '',
    '--project unit',
    '-t refresh',
    '--testNamePattern refresh --reporter verbose',
    '--project=unit --coverage',
  ])
    test(`npm test ${args}: without the files in depth`, () =>
      equal(isWholeSuite(['run', '--config', 'test/vitest-config.ts', ...args.split(' ').filter(Boolean)], ''), false));

  for (const args of ['test/attack/matrix.test.ts', 'pitr', '-t refresh pitr', '--project stage test/journey'])
    test(`npm test ${args}: whatever is named`, () =>
      equal(isWholeSuite(['run', '--config', 'test/vitest-config.ts', ...args.split(' ')], ''), true));

  test('npm run test:all: everything', () => equal(isWholeSuite(['run', '--config', 'test/vitest-config.ts'], '1'), true));
});
