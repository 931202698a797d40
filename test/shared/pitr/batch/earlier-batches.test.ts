/** A collection that is found after batches of its time is stored with them, whatever crashes meanwhile. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { askEverySecond } from '../../../harness/env/capture/ask-every-second.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';
import { crashCapture } from '../../../harness/faults/crash-capture.ts';
import { CrashInjector } from '../../../harness/faults/crash-injector.ts';

afterAll(stopCaptureEnv);

/** Where documents are created in this many collections, a count costs too much for each cycle. */
const ids = Array.from({ length: 25 }, (_, n) => `c${n}`);
const documents = (name: string) => Object.fromEntries(ids.map((id) => [`${id}/${name}`, '1']));

const makeCountDue = (t: CaptureEnv): void => t.table.put({ ...t.pitr, isCountUrgent: true });

/** Batches with and without changes, then a cycle that counts and crashes; another worker continues. */
const surviving = async (mortal: CrashInjector): Promise<CaptureEnv> => {
  const t = await createActiveCapture(documents('first'), { captureIntervalSeconds: 10 });
  await t.runNextCycle();
  const write = async (second: number): Promise<void> => {
    for (const [at, name] of [
      [3, 'second'],
      [13, 'third'],
    ] as const) {
      if (second === at) await t.put({ ...documents(name), 'c1/first/new/a': name });
      if (second === at + 2) await t.put({ [`c1/first/new/${name}`]: '1', 'c2/first/new/brief': name });
      if (second === at + 4) await t.put({ 'c2/first/new/brief': null });
    }
    if (second === 45) await t.put({ 'c1/first/new/b': '1' });
    if (second !== 52) return;
    makeCountDue(t);
    crashCapture(t, mortal);
  };
  await listen(t, { seconds: 61, happens: write }).catch(() => undefined);
  crashCapture(t, new CrashInjector());
  makeCountDue(t);
  await t.put({ 'c1/first/new/second': null, 'c1/first/new/a': 'again' });
  await listen(t, { seconds: 25, happens: async () => undefined });
  return t;
};

const counting = new CrashInjector();
const whole = await surviving(counting);
const parts = whole.batches.filter(({ partOf }) => partOf !== undefined);

test('earlier batches: each change is in a batch beside that of its time', () => {
  assert.ok(parts.length >= 2, `${parts.length} parts`);
  assert.ok(counting.effects >= 8, `${counting.effects} effects`);
});

for (const when of ['before', 'after'] as const)
  for (let at = 1; at <= counting.effects; at++)
    test(`earlier batches: a crash ${when} effect ${at} loses nothing`, async () => {
      const t = await surviving(new CrashInjector(at, when));
      const { exact, refused } = await askEverySecond(t);
      // If nothing listens before the count, documents of unknown collections are noticed, which stays a gap.
      const isOfUnknown = t.pitr.gaps.every(({ to, collections }) => to !== null && collections?.length === 0);
      assert.ok(isOfUnknown && refused <= 12 * t.pitr.gaps.length, `${refused} refused: ${JSON.stringify(t.pitr.gaps)}`);
      assert.equal(t.pitr.bases.length, 1);
      assert.ok(exact > 60, `${exact}`);
    });
