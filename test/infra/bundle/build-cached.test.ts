import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { buildCached, cacheFolder, isFromTheseSources } from '../../../infra/bundle/build-cached.ts';

describe('the build cache', () => {
  const make = (text: string) => async (dir: string) => writeFileSync(join(dir, 'made'), text);
  const kind = `test-${randomUUID().slice(0, 8)}`;
  const from = ['infra/bundle/build-cached.ts'];

  test('builds once for the same sources and inputs, and again for others', async () => {
    const first = await buildCached({ kind, from, make: make('one') });
    assert.equal(await buildCached({ kind, from, make: () => assert.fail('built twice') }), first);
    const other = await buildCached({ kind, from, choices: 'other', make: make('two') });
    const wider = await buildCached({ kind, from: [...from, 'infra/local/boot/synthesize.ts'], make: make('three') });
    assert.equal(new Set([first, other, wider]).size, 3);
    assert.equal(readFileSync(join(other, 'made'), 'utf8'), 'two');
    for (const dir of [first, other, wider]) rmSync(dir, { recursive: true });
  });

  test('is atomic: a failed build leaves nothing that a later start would use', async () => {
    const failing = buildCached({
      kind,
      from,
      choices: 'failing',
      make: async (dir) => {
        await make('half')(dir);
        throw new Error('in the middle');
      },
    });
    await assert.rejects(failing, /in the middle/);
    const dir = await buildCached({ kind, from, choices: 'failing', make: make('whole') });
    assert.equal(readFileSync(join(dir, 'made'), 'utf8'), 'whole');
    rmSync(dir, { recursive: true });
    assert.ok(existsSync(dirname(dir)) && !readdirSync(dirname(dir)).some((name) => name.startsWith(kind)));
  });

  test('of two that need the same at once, one builds', async () => {
    let builds = 0;
    const slowly = async (dir: string): Promise<void> => {
      builds += 1;
      await pause(300);
      await make('same')(dir);
    };
    const dirs = await Promise.all([1, 2].map(() => buildCached({ kind, from, choices: 'race', make: slowly })));
    assert.deepEqual([dirs[0], builds], [dirs[1], 1]);
    assert.equal(readFileSync(join(dirs[0] ?? '', 'made'), 'utf8'), 'same');
    rmSync(dirs[0] ?? '', { recursive: true });
  });

  test('waits for another process, and builds itself when that has ended without a result', async () => {
    const recipe = { kind, from, choices: 'ended', make: make('after') };
    const dir = await buildCached(recipe);
    rmSync(dir, { recursive: true });
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    writeFileSync(join(dirname(dir), `building-${basename(dir)}`), String(other.pid));
    const building = buildCached(recipe);
    await pause(300);
    assert.ok(!existsSync(dir));
    const ended = once(other, 'exit');
    other.kill('SIGKILL');
    await ended;
    assert.equal(await building, dir);
    assert.deepEqual(
      readdirSync(dirname(dir)).filter((name) => name.includes(kind)),
      [basename(dir)],
    );
    rmSync(dir, { recursive: true });
  });

  test('knows whether the sources are still those of a folder', async () => {
    const source = `node_modules/.cache/${kind}.txt`;
    const root = join(import.meta.dirname, '../../..');
    const write = (text: string) => writeFileSync(join(root, source), text);
    write('one');
    const dir = await buildCached({ kind, from: [source], make: make('one') });
    assert.ok(isFromTheseSources(dir, { from: [source] }));
    write('two');
    assert.ok(!isFromTheseSources(dir, { from: [source] }));
    const other = cacheFolder({ kind, from: [source] });
    assert.notEqual(other, dir);
    write('one');
    assert.ok(isFromTheseSources(dir, { from: [source] }));
    assert.equal(cacheFolder({ kind, from: [source] }), dir);
    for (const path of [dir, other, join(root, source)]) rmSync(path, { recursive: true });
  });
});
