/** What is written down of a part fits an item of the table, whatever the collections are called. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { workPartition } from '../../../../shared/backup/index.ts';
import {
  begin,
  contents,
  newWorld,
  readBack,
  recordOf,
  runWorkflow,
  server,
  table,
  tenant,
  writePaths,
} from '../../../harness/env/backup-env.ts';

afterAll(() => server.stop());

const itemBytesMax = 400 << 10;

for (const [what, letter] of [
  ['plain letters', 'x'],
  ['what JSON spells out', '\u0001'],
] as const)
  test(`copy: the items of 150 collections whose ids are 1,500 bytes of ${what} fit the table`, async () => {
    const world = newWorld();
    const idOf = (n: number): string => String(n).padStart(4, '0') + letter.repeat(1_496);
    await writePaths(
      world,
      Array.from({ length: 150 }, (_, n) => `${idOf(n)}/d`),
    );
    const sizes: number[] = [];
    const id = await begin(world);
    table.onWrite = () => {
      for (const part of table.find(workPartition(tenant, id), 'PART#')) sizes.push(Buffer.byteLength(JSON.stringify(part)));
    };
    await runWorkflow(world, id, { triesMax: 1 });
    const { status, error, documentCount, countVerified } = recordOf(id);
    deepEqual([status, error, documentCount, countVerified], ['completed', null, 150, true]);
    const { documents, manifest } = await readBack(world, id);
    deepEqual(documents, contents(world));
    equal(manifest.collections.length, 150);
    ok(sizes.length > 1 && Math.max(...sizes) < itemBytesMax, String(Math.max(...sizes)));
  });
