/** Collections that appear while a project is captured leave no gap: every moment is restored as it was, or refused. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { microsOf } from '../../../../shared/pitr/index.ts';
import { askEverySecond } from '../../../harness/env/capture/ask-every-second.ts';
import { Journal, secondsSince } from '../../../harness/env/capture/journal.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(stopCaptureEnv);

const before = { 'users/ada': '1', 'users/bob': '1', 'users/ada/notes/a': '1' };

/** Captures for so many seconds; a worker that ends early is followed by the next. */
const captureFor = async (t: CaptureEnv, seconds: number, happens: (second: number) => Promise<void>): Promise<void> => {
  const startMs = t.nowMs;
  let second = 0;
  while ((t.nowMs - startMs) / 1_000 < seconds) {
    await listen(t, { seconds: seconds - (t.nowMs - startMs) / 1_000, happens: () => happens(second++) });
    await t.runRequestedBase();
  }
};

test('new ids: with a new subcollection id a minute at least 99 of 100 seconds are whole, and no base is read', async () => {
  const t = await createActiveCapture(before, { captureIntervalSeconds: 10 });
  const journal = new Journal(t, before);
  await t.runNextCycle();
  const start = microsOf(t.pitr.capturedTo!);
  await captureFor(t, 300, async (second) => {
    if (second % 5 === 2) await journal.put({ [`users/u${second % 15}`]: `${second}` });
    if (second % 60 === 33) await journal.put({ [`users/ada/new${second}/x`]: '1', [`users/ada/new${second}/y`]: '1' });
    if (second % 60 === 35) await journal.put({ [`users/ada/new${second - 2}/y`]: null });
    if (second % 60 === 52) await journal.put({ [`users/ada/new${second - 19}/x`]: '2' });
  });
  const asked = await askEverySecond(t);
  ok(asked.exact > 280 && asked.exact >= 99 * asked.refused, `${asked.exact} exact, ${asked.refused} refused`);
  // Around each new id, the moments are really restored.
  const seconds = secondsSince(t, start).filter((_, n) => n % 60 >= 31 && n % 60 <= 37);
  equal((await journal.compare(seconds)).refused.length, 0);
  deepEqual([t.pitr.gaps, t.pitr.bases.length, t.pitr.knownCount], [[], 1, 7]);
  equal(t.pitr.checkedAt, t.pitr.capturedTo);
});

test('new ids: with a new root and subcollection id every second, nine of ten moments are restored, and none lacks anything', async () => {
  const t = await createActiveCapture(before, { captureIntervalSeconds: 10 });
  const journal = new Journal(t, before);
  await t.runNextCycle();
  const start = microsOf(t.pitr.capturedTo!);
  await captureFor(t, 70, async (n) => {
    if (n < 40) {
      await journal.put({ [`root${n}/x`]: '1', [`root${n}/y`]: '1' });
      await journal.put({ [`users/ada/sub${n}/x`]: '1', [`users/bob/deep/d${n}/below${n}/y`]: '1' });
    }
    // Some live for a second or two only, others for longer.
    if (n >= 2 && n % 3 === 2) await journal.put({ [`root${n - 2}/x`]: null, [`root${n - 2}/y`]: null });
    if (n >= 2 && n % 4 === 2) await journal.put({ [`users/ada/sub${n - 2}/x`]: null });
    if (n >= 12 && n % 5 === 2) await journal.put({ [`users/bob/deep/d${n - 12}/below${n - 12}/y`]: null, 'users/bob': `${n}` });
    if (n >= 20 && n % 6 === 1) await journal.put({ [`root${n - 20}/y`]: 'again' });
  });
  const seconds = secondsSince(t, start);
  ok(seconds.length > 60, `${seconds.length}`);
  const { refused } = await journal.compare(seconds);
  const during = seconds.slice(0, 45).filter((at) => refused.includes(at));
  ok(during.length <= 4, `${during.length} refused: ${JSON.stringify(t.pitr.gaps)}`);
  equal(t.pitr.bases.length, 1);
});

test('new ids: one that is found cycles after its first documents leaves no gap, either', async () => {
  const t = await createActiveCapture(before, { captureIntervalSeconds: 10 });
  const journal = new Journal(t, before);
  await t.runNextCycle();
  const start = microsOf(t.pitr.capturedTo!);
  // As if the database was too large to be counted by each capture.
  t.server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 10_000 });
  await captureFor(t, 100, async (second) => {
    if (second === 64) t.server.faults.clear();
    if (second % 3 === 1 && second < 40) await journal.put({ [`users/u${second}`]: `${second}` });
    if (second === 4) await journal.put({ 'users/ada/new/a': '1', 'users/ada/new/b': '1', 'users/none/new/c': '1' });
    if (second === 9) await journal.put({ 'users/ada/new/brief': '1' });
    if (second === 12) await journal.put({ 'users/ada/new/brief': null, 'users/ada/new/a': '2' });
    if (second === 33) await journal.put({ 'users/bob/other/x': '1', 'users/ada/new/b': null });
    // Nothing else is written in this and the next cycles.
    if (second === 47) await journal.put({ 'users/ada/new/late': '1', 'users/bob/other/x': '2' });
    if (second === 53) await journal.put({ 'users/ada/new/b': 'again' });
    if (second === 80) await journal.put({ 'users/ada/new/a': null, 'users/bob/other/x': '3' });
  });
  const batches = t.batches.filter(({ collections }) => collections.includes('other'));
  ok(batches.some(({ partOf }) => partOf !== undefined) && batches.some(({ partOf }) => partOf === undefined));
  deepEqual([t.pitr.gaps, t.pitr.sampled ?? [], t.pitr.bases.length, t.pitr.knownCount], [[], [], 1, 4]);
  const { exact, refused } = await askEverySecond(t);
  ok(exact > 80 && refused === 0, `${exact} exact, ${refused} refused`);
  const seconds = secondsSince(t, start).filter((_, n) => n % 3 === 0);
  equal((await journal.compare(seconds)).refused.length, 0);
});
