/** The positions of all collections are stored completely, or the project is reported as too large. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { pitrData, pitrKey } from '../../../../shared/pitr/index.ts';
import { type CaptureEnv, createCaptureEnv, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

const worldOf = async (collections: number) => {
  const t = await createCaptureEnv();
  const ids = Array.from({ length: collections }, (_, n) => `${n}${'x'.repeat(1_450)}`);
  for (let n = 0; n < collections; n += 100) await t.put(Object.fromEntries(ids.slice(n, n + 100).map((id) => [`${id}/a`, '0'])));
  await t.enable();
  return { t, ids };
};
const items = (t: CaptureEnv): number => t.table.find(pitrKey.tokens(t.tenant, t.projectId).pk, 'TOKENS').length;

test('resume positions: the longest ids need several items, which are all deleted', async () => {
  const { t, ids } = await worldOf(300);
  await t.untilActive();
  t.pass(5);
  await t.runNextCycle();
  assert.deepEqual([t.pitr.status, t.pitr.tokenItems, items(t)], ['active', 2, 2]);
  await t.put({ [`${ids.at(-1)}/b`]: '1' });
  t.pass(5);
  await t.runNextCycle();
  assert.deepEqual([t.pitr.gaps, t.pitr.changesCaptured], [[], 1]);
  await t.disable();
  assert.equal(items(t), 0);
});

test('resume positions: a project with too many collections shows the problem and gets no further base', async () => {
  const { t } = await worldOf(2_100);
  const made = new Set<string>();
  const end = t.nowMs + 24 * 3_600_000;
  while (t.nowMs < end) {
    await t.runNextCycle();
    const { comingBaseId } = t.pitr;
    if (comingBaseId !== null) made.add(comingBaseId);
    await t.runRequestedBase();
  }
  assert.deepEqual([t.pitr.status, made.size], ['starting', 1]);
  assert.match(pitrData(t.pitr, t.now).problem ?? '', /2100 collection ids; at most/);
});
