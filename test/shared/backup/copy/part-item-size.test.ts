/** The record of a part fits into an item of the table, however long the collection ids are. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { workPartition } from '../../../../shared/job/index.ts';
import { createBackupEnv } from '../../../harness/env/backup-env.ts';

const t = await createBackupEnv();

beforeEach(() => t.reset());

const itemBytesMax = 400 << 10;

for (const [what, letter] of [
  ['plain letters', 'x'],
  ['what JSON spells out', '\u0001'],
] as const)
  test(`copy: the items of 150 collections whose ids are 1,500 bytes of ${what} fit the table`, async () => {
    const idOf = (n: number): string => String(n).padStart(4, '0') + letter.repeat(1_496);
    await t.writePaths(Array.from({ length: 150 }, (_, n) => `${idOf(n)}/d`));
    const sizes: number[] = [];
    const id = await t.startBackup();
    t.table.onWrite = () => {
      for (const part of t.table.find(workPartition(t.tenant, id), 'PART#')) sizes.push(Buffer.byteLength(JSON.stringify(part)));
    };
    await t.runBackup(id, { triesMax: 1 });
    const { status, error, documentCount, countVerified } = t.backupOf(id);
    deepEqual([status, error, documentCount, countVerified], ['completed', null, 150, true]);
    const { documents, manifest } = await t.readBackup(id);
    deepEqual(documents, t.contents());
    equal(manifest.collections.length, 150);
    ok(sizes.length > 1 && Math.max(...sizes) < itemBytesMax, String(Math.max(...sizes)));
  });
