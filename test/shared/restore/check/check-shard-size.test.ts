/** The record of a check fits into an item of the table, however long the collection ids of the target are. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { workPartition } from '../../../../shared/restore/index.ts';
import {
  atStart,
  createRestoreEnv,
  type Fields,
  journalOf,
  put,
  putTarget,
  restoreOf,
  resumeWorkflow,
  server,
  startTestRestore,
  table,
  takeBackup,
  tenant,
} from '../../../harness/env/restore-env.ts';

afterAll(() => server.stop());

const one: Fields = { n: { integerValue: 1n } };
const itemBytesMax = 400 << 10;

for (const [what, letter] of [
  ['plain letters', 'x'],
  ['quotation marks', '"'],
  ['what JSON spells out', '\u0001'],
] as const)
  test(`check: the progress of 100 collections whose ids are 1,500 bytes of ${what} fits into an item`, async () => {
    const world = createRestoreEnv();
    const paths = Array.from({ length: 100 }, (_, n) => `${String(n).padStart(4, '0') + letter.repeat(1_496)}/d`);
    await put(world, { 'a/1': one });
    const backup = await takeBackup(world);
    await putTarget(world, Object.fromEntries(paths.map((path) => [path, one])));
    const id = await startTestRestore(world, backup, { mergeMode: 'rollback' });
    await resumeWorkflow(world, id, atStart(), { upTo: 'seal' });
    const { plan } = restoreOf(id);
    deepEqual([plan?.delete, plan?.create], [100, 1]);
    const saved = await journalOf(world, id);
    equal(saved.size, 101);
    ok(paths.every((path) => saved.get(path)));
    const sizes = table.find(workPartition(tenant, id), '').map((item) => Buffer.byteLength(JSON.stringify(item)));
    ok(Math.max(...sizes) < itemBytesMax, String(Math.max(...sizes)));
  });
