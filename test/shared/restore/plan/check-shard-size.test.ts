/** The record of a check fits into an item of the table, however long the collection ids of the target are. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { workPartition } from '../../../../shared/job/index.ts';
import { createRestoreEnv, type Fields, firstRestoreStep } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

beforeEach(() => t.reset());

const one: Fields = { n: { integerValue: 1n } };
const itemBytesMax = 400 << 10;

for (const [what, letter] of [
  ['plain letters', 'x'],
  ['quotation marks', '"'],
  ['what JSON spells out', '\u0001'],
] as const)
  test(`check: the progress of 100 collections whose ids are 1,500 bytes of ${what} fits into an item`, async () => {
    const paths = Array.from({ length: 100 }, (_, n) => `${String(n).padStart(4, '0') + letter.repeat(1_496)}/d`);
    await t.put({ 'a/1': one });
    const backup = await t.takeBackup();
    await t.putTarget(Object.fromEntries(paths.map((path) => [path, one])));
    const id = await t.startRestore(backup, { mergeMode: 'rollback' });
    await t.resumeRestore(id, firstRestoreStep(), { upTo: 'seal' });
    const { plan } = t.restoreOf(id);
    deepEqual([plan?.delete, plan?.create], [100, 1]);
    const saved = await t.journalOf(id);
    equal(saved.size, 101);
    ok(paths.every((path) => saved.get(path)));
    const sizes = t.table.find(workPartition(t.tenant, id), '').map((item) => Buffer.byteLength(JSON.stringify(item)));
    ok(Math.max(...sizes) < itemBytesMax, String(Math.max(...sizes)));
  });
