/** Files in one process are as good as files in processes of their own. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { entriesOf } from './process-entry.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'entry-'));
after(() => rmSync(dir, { recursive: true, force: true }));

const runFixtures = (...names: readonly string[]) => {
  const runner = JSON.stringify(new URL('shared-process.ts', import.meta.url));
  const files = JSON.stringify(names.map((name) => `test/fixture/process/${name}.ts`));
  const text = `import { runTogether } from ${runner}; await runTogether(${files}, 60_000);`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', text], { cwd: root, env, encoding: 'utf8' });
};

test('a file sees no hook, mock, variable or module state of the one before it', () => {
  const { status, stdout } = runFixtures('leaving', 'finding');
  equal(status, 0, stdout);
  match(stdout, /^ℹ pass 2$/m);
});

test('a test that fails is named with its file, and the files after it run', () => {
  const { status, stdout } = runFixtures('failing', 'finding');
  equal(status, 1);
  match(stdout, /▶ test\/fixture\/process\/failing\.ts\n {2}✖ fails/);
  match(stdout, /test at test\/fixture\/process\/failing\.ts:5/);
  match(stdout, /✔ test\/fixture\/process\/finding\.ts/);
});

test('files of one room share a process, eight at most; those that need the stage have their own', () => {
  const room = Array.from({ length: 9 }, (_, n) => `test/shared/room/${n}.test.ts`);
  const alone = ['test/journey/one.test.ts', 'test/law/other.test.ts', 'test/shared/other/only.test.ts'];
  const entries = entriesOf([...room, ...alone], root, dir, 1_000);
  deepEqual(
    entries.slice(2),
    alone.map((file) => join(root, file)),
  );
  const shares = entries.slice(0, 2).map((entry) => readFileSync(entry, 'utf8').match(/test\/shared\/room\/\d/g)?.length);
  deepEqual(shares, [5, 4]);
});
