/** A newer base is made not only after a day, but also after many changes, which every restore would have to read. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);
const much = 512 << 20;

test('base refresh: a new base is made once the changes since the last are large relative to it', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' }, { precision: 'interval' });
  t.pass(5);
  await t.put({ 'users/ada': '1' });
  t.pass(60);
  await t.runNextCycle();
  const [batch] = t.batches;
  assert.equal(t.pitr.bytesSinceBase, batch!.chunk.size);
  assert.ok(t.pitr.baseBytes! > 0);
  const turnAfter = async (baseBytes: number, bytesSinceBase: number) => {
    t.table.put({ ...t.pitr, baseBytes, bytesSinceBase });
    t.pass(60);
    await t.runNextCycle();
    return t.pitr.comingBaseId;
  };
  assert.equal(await turnAfter(0, much), null);
  assert.equal(await turnAfter(10 * much, 2 * much), null);
  assert.notEqual(await turnAfter(10 * much, 2 * much + 1), null);
  await t.runRequestedBase();
  for (let turns = 0; t.pitr.bases.length === 1; turns++) {
    assert.ok(turns < 3);
    await t.runNextCycle();
  }
  assert.equal(t.pitr.bytesSinceBase, 0);
  assert.ok(t.pitr.baseBytes! < much);
});
