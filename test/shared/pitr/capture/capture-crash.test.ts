/** A worker crashes before or after each effect: the next one captures everything once, and an orphaned upload is recorded. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import type { MemoryStore, ObjectStore, Upload } from '../../../../shared/destination/index.ts';
import { expireCaptures, readBatch } from '../../../../shared/pitr/index.ts';
import {
  assertExact,
  batches,
  type CaptureWorld,
  enable,
  newCaptureWorld,
  pass,
  pitrNow,
  projectId,
  put,
  runNextCycle,
  server,
  table,
  tenant,
  time,
  untilActive,
  uploads,
} from '../../../harness/env/capture-env.ts';
import { CrashInjector } from '../../../harness/faults/crash-injector.ts';

afterAll(() => server.stop());

const attach = (world: CaptureWorld, mortal: CrashInjector): void => {
  table.onWrite = (when) => mortal.atWrite(when);
  table.onRead = () => mortal.atRead();
  world.wrap = (store) => mortalStore(store, mortal);
};

const mortalStore = (store: MemoryStore, mortal: CrashInjector): ObjectStore => ({
  put: (...all) => mortal.effect(() => store.put(...all)),
  upload: (...all) => mortalUpload(store.upload(...all), mortal),
  get: (...all) => mortal.alive(() => store.get(...all)),
  head: (name) => mortal.alive(() => store.head(name)),
  list: (prefix) => store.list(prefix),
  remove: (names) => mortal.effect(() => store.remove(names)),
  abortUnfinishedUploads: (prefix) => mortal.alive(() => store.abortUnfinishedUploads(prefix)),
  close: () => store.close(),
});
const mortalUpload = (upload: Upload, mortal: CrashInjector): Upload => ({
  write: (pieces) => mortal.alive(() => upload.write(pieces)),
  finish: () => mortal.effect(() => upload.finish()),
  abort: () => mortal.alive(() => upload.abort()),
});

/** One cycle with changes on a worker that crashes; another one continues. */
const surviving = async (mortal: CrashInjector): Promise<CaptureWorld> => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0', 'users/bob': '0' });
  await enable();
  await untilActive(world);
  pass(2);
  await put(world, { 'users/ada': '1' });
  pass(2);
  await put(world, { 'users/ada': '2', 'users/bob': null });
  pass(2);
  const due = pitrNow().turn;
  attach(world, mortal);
  await runNextCycle(world).catch(() => undefined);
  attach(world, new CrashInjector());
  if (pitrNow().turn === due) await runNextCycle(world);
  pass(2);
  await put(world, { 'users/ada': '3' });
  pass(2);
  await runNextCycle(world);
  return world;
};

const counting = new CrashInjector();
const whole = await surviving(counting);
const { changesCaptured } = pitrNow();
void whole;

test('capture crash: a cycle has at least three effects', () => assert.ok(counting.effects >= 3));

for (const when of ['before', 'after'] as const)
  for (let at = 1; at <= counting.effects; at++)
    test(`capture crash: ${when} effect ${at}, every second is known, every change is stored once, and orphans are recorded`, async () => {
      const world = await surviving(new CrashInjector(at, when));
      assert.deepEqual([pitrNow().changesCaptured, batches().length, pitrNow().gaps], [changesCaptured, 2, []]);
      await assertExact(world);
      const orphans = [...world.folders].filter(
        ([path, store]) => path.includes('/pitr/') && store.objects.size > 0 && !batches().some((batch) => batch.path === path),
      );
      assert.ok(orphans.length <= uploads(), 'an object that nothing leads to');
      pass(2 * 3_600);
      await expireCaptures(tenant, projectId, new Date(time.ms + 60_000), world.engine.clock, world.engine.openStore);
      assert.equal(uploads(), 0);
      for (const [path, store] of orphans) assert.equal(store.objects.size, 0, path);
      for (const batch of batches()) for await (const leaf of readBatch(tenant, batch, world.engine)) assert.ok(leaf.count > 0);
    });
