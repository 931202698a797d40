/** A newer base is made not only after a day, but also after many changes, which every restore would have to read. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import {
  batches,
  enable,
  newCaptureWorld,
  pass,
  pitrNow,
  put,
  runNextCycle,
  runRequestedBase,
  server,
  table,
  untilActive,
} from '../../../harness/env/capture-env.ts';

afterAll(() => server.stop());
const much = 512 << 20;

test('base refresh: a new base is made once the changes since the last are large relative to it', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable({ precision: 'interval' });
  await untilActive(world);
  pass(5);
  await put(world, { 'users/ada': '1' });
  pass(60);
  await runNextCycle(world);
  const [batch] = batches();
  assert.equal(pitrNow().bytesSinceBase, batch!.chunk.size);
  assert.ok(pitrNow().baseBytes! > 0);
  const turnAfter = async (baseBytes: number, bytesSinceBase: number) => {
    table.put({ ...pitrNow(), baseBytes, bytesSinceBase });
    pass(60);
    await runNextCycle(world);
    return pitrNow().comingBaseId;
  };
  assert.equal(await turnAfter(0, much), null);
  assert.equal(await turnAfter(10 * much, 2 * much), null);
  assert.notEqual(await turnAfter(10 * much, 2 * much + 1), null);
  await runRequestedBase(world);
  for (let turns = 0; pitrNow().bases.length === 1; turns++) {
    assert.ok(turns < 3);
    await runNextCycle(world);
  }
  assert.equal(pitrNow().bytesSinceBase, 0);
  assert.ok(pitrNow().baseBytes! < much);
});
