/** Files in one process are as good as files in processes of their own. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
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

/** The files of each process, in the order in which they begin. */
const processesOf = (files: readonly string[]): readonly (readonly string[])[] =>
  entriesOf(files, root, dir, 1_000).map((entry) =>
    entry.endsWith('.mjs') ? (readFileSync(entry, 'utf8').match(/test\/[^"]+\.test\.ts/g) ?? []) : [relative(root, entry)],
  );
const madeUp = (room: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `test/${room}/made-up-${n}.test.ts`);

test('files of one room share a process, eight at most; what needs a process of its own has one', () => {
  const alone = ['test/infra/config.test.ts', 'test/journey/webhook-crash.test.ts', 'test/law/endpoint.test.ts'];
  const processes = processesOf([...madeUp('shared/room', 9), ...madeUp('shared/other', 2), ...alone]);
  deepEqual(
    processes.map(({ length }) => length).sort((one, other) => other - one),
    [5, 4, 2, 1, 1, 1],
  );
  for (const file of alone)
    ok(
      processes.some((share) => share.length === 1 && share[0] === file),
      file,
    );
});

test('files that read the templates share a process, those of other folders, too', () => {
  const readers = ['test/infra/api-stack.test.ts', 'test/law/alarm.test.ts'];
  deepEqual(
    processesOf([...readers, 'test/infra/config.test.ts']).map(({ length }) => length),
    [2, 1],
  );
});

test('every file is run once, and those that wait are spread among those that compute', () => {
  const given = [...madeUp('journey', 12), ...madeUp('shared/room', 64)];
  const processes = processesOf(given);
  deepEqual([...processes.flat()].sort(), [...given].sort());
  const waits = processes.map(([first]) => first?.startsWith('test/journey/'));
  equal(waits.filter(Boolean).length, 4);
  ok(!waits.some((each, n) => each && waits[n + 1]), String(waits));
});
