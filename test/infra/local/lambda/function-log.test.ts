/** The log files of functions. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as soon } from 'node:timers/promises';
import { test } from 'vitest';
import { openLogs } from '../../../../infra/local/lambda/function-log.ts';

test('function log: output during the removal of the folder is dropped without an error', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'log-'));
  const { write } = openLogs(dir)('fn');
  write('first\n');
  write('second\n');
  await soon();
  assert.equal(readFileSync(join(dir, 'fn.log'), 'utf8'), 'first\nsecond\n');
  write('last words\n');
  rmSync(dir, { recursive: true });
  await soon();
  await soon();
});
