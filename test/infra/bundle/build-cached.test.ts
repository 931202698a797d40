import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'vitest';
import { buildCached, isFromTheseSources } from '../../../infra/bundle/build-cached.ts';

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

  test('supports two stages that build at once', async () => {
    const dirs = await Promise.all([1, 2].map(() => buildCached({ kind, from, choices: 'race', make: make('same') })));
    assert.equal(dirs[0], dirs[1]);
    assert.equal(readFileSync(join(dirs[0] ?? '', 'made'), 'utf8'), 'same');
    rmSync(dirs[0] ?? '', { recursive: true });
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
    write('one');
    assert.ok(isFromTheseSources(dir, { from: [source] }));
    for (const path of [dir, join(root, source)]) rmSync(path, { recursive: true });
  });
});
