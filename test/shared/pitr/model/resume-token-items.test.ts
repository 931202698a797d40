/** The positions of all collections are stored completely, or the project is reported as too large. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { pitrData, pitrKey } from '../../../../shared/pitr/index.ts';
import {
  disable,
  enable,
  newCaptureWorld,
  pass,
  pitrNow,
  projectId,
  put,
  runNextCycle,
  runRequestedBase,
  server,
  table,
  tenant,
  time,
  untilActive,
} from '../../../harness/env/capture-env.ts';

afterAll(() => server.stop());

const worldOf = async (collections: number) => {
  const world = newCaptureWorld();
  const ids = Array.from({ length: collections }, (_, n) => `${n}${'x'.repeat(1_450)}`);
  for (let n = 0; n < collections; n += 100)
    await put(world, Object.fromEntries(ids.slice(n, n + 100).map((id) => [`${id}/a`, '0'])));
  await enable();
  return { world, ids };
};
const items = (): number => table.find(pitrKey.tokens(tenant, projectId).pk, 'TOKENS').length;

test('resume positions: the longest ids need several items, which are all deleted', async () => {
  const { world, ids } = await worldOf(300);
  await untilActive(world);
  pass(5);
  await runNextCycle(world);
  assert.deepEqual([pitrNow().status, pitrNow().tokenItems, items()], ['active', 2, 2]);
  await put(world, { [`${ids.at(-1)}/b`]: '1' });
  pass(5);
  await runNextCycle(world);
  assert.deepEqual([pitrNow().gaps, pitrNow().changesCaptured], [[], 1]);
  await disable();
  assert.equal(items(), 0);
});

test('resume positions: a project with too many collections shows the problem and gets no further base', async () => {
  const { world } = await worldOf(2_100);
  const made = new Set<string>();
  const end = time.ms + 24 * 3_600_000;
  while (time.ms < end) {
    await runNextCycle(world);
    const { comingBaseId } = pitrNow();
    if (comingBaseId !== null) made.add(comingBaseId);
    await runRequestedBase(world);
  }
  assert.deepEqual([pitrNow().status, made.size], ['starting', 1]);
  assert.match(pitrData(pitrNow(), new Date(time.ms)).problem ?? '', /2100 collection ids; at most/);
});
