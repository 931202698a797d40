/** However many collections a project has, where each was left off is kept whole, or it is told that it cannot be. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { pitrData, pitrKey } from '../../../../shared/pitr/index.ts';
import {
  disable,
  enable,
  newCaptureWorld,
  nextTurn,
  pass,
  pitrNow,
  projectId,
  put,
  runComing,
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

test('collections with the longest ids are kept track of in several items, which all go', async () => {
  const { world, ids } = await worldOf(300);
  await untilActive(world);
  pass(5);
  await nextTurn(world);
  assert.deepEqual([pitrNow().status, pitrNow().tokenItems, items()], ['active', 2, 2]);
  await put(world, { [`${ids.at(-1)}/b`]: '1' });
  pass(5);
  await nextTurn(world);
  assert.deepEqual([pitrNow().gaps, pitrNow().changesCaptured], [[], 1]);
  await disable();
  assert.equal(items(), 0);
});

test('more collections than can be kept track of are told, and no base is made for them again', async () => {
  const { world } = await worldOf(2_100);
  const made = new Set<string>();
  const end = time.ms + 24 * 3_600_000;
  while (time.ms < end) {
    await nextTurn(world);
    const { comingBaseId } = pitrNow();
    if (comingBaseId !== null) made.add(comingBaseId);
    await runComing(world);
  }
  assert.deepEqual([pitrNow().status, made.size], ['starting', 1]);
  assert.match(pitrData(pitrNow(), new Date(time.ms)).problem ?? '', /2100 collection ids; at most/);
});
