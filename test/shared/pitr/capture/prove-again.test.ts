/** An interruption that its own cycle could not prove is proven by a later one, and its moments become exact. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { microsOf, momentOf } from '../../../../shared/pitr/index.ts';
import { askEverySecond } from '../../../harness/env/capture/ask-every-second.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

const spent = (t: CaptureEnv, reads: number) => ({ pastReads: { since: t.now.toISOString(), reads } });

/** Documents live for two seconds each while nothing listens, and no read is left to find them. */
const interrupted = async (more: Readonly<Record<string, string>> = {}): Promise<CaptureEnv> => {
  const t = await createActiveCapture({ 'users/ada': '0' }, { captureIntervalSeconds: 10 });
  await t.runNextCycle();
  for (let n = 0; n < 20; n++) {
    await t.put({ [`users/b${n % 7}`]: `${n}`, [`users/b${(n + 5) % 7}`]: null });
    t.pass(0.9);
  }
  for (let n = 0; n < 7; n++) await t.put({ [`users/b${n}`]: null });
  t.pass(1);
  if (Object.keys(more).length > 0) await t.put(more);
  t.table.put({ ...t.pitr, ...spent(t, 60_000) });
  await t.runNextCycle();
  return t;
};

for (const [what, more] of [
  ['in which nothing else changed', {}],
  ['whose batch has changes of the same documents', { 'users/ada': '1', 'users/b3': 'again' }],
] as const)
  test(`proof of an earlier interruption ${what}: its seconds are refused, then exact, and the chain of batches is whole`, async () => {
    const t = await interrupted(more);
    const [period] = t.pitr.sampled ?? [];
    assert.ok(period, 'nothing could be proven');
    const [before, chained] = [await askEverySecond(t), t.batches.length];
    assert.ok(before.refused >= 17, JSON.stringify(before));
    // A later cycle is not listened to before its end, either: two periods are unproven, and a batch follows in the chain.
    await t.put({ 'users/ada': '2' });
    await t.runNextCycle();
    assert.equal(t.pitr.sampled?.length, 2, 'no reads are left in this hour');
    t.table.put({ ...t.pitr, ...spent(t, 0) });
    for (const text of ['3', '4']) {
      await t.put({ 'users/ada': text });
      await t.runNextCycle();
    }
    assert.deepEqual(t.pitr.sampled, []);
    assert.equal(t.batches.length, chained + 4);
    assert.deepEqual(
      t.batches.slice(1).map(({ previous }) => previous),
      t.batches.slice(0, -1).map(({ to, id }) => `${to}#${id}`),
    );
    assert.equal((await askEverySecond(t)).refused, 0);
    assert.equal(t.uploads, 0);
  });

test('proof of an earlier interruption: it is not tried once the source has forgotten it', async () => {
  const t = await interrupted();
  const { sampled } = t.pitr;
  t.table.put({
    ...t.pitr,
    sampled: sampled!.map(({ to }) => ({ from: momentOf(microsOf(to) - 3_600_000_000), to })),
    ...spent(t, 0),
  });
  const before = t.pitr.sampled;
  await t.runNextCycle();
  assert.deepEqual(t.pitr.sampled, before);
});
