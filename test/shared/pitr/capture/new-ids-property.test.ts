/**
 * Collections come and go at any depth while a project is captured: every moment that can be asked for is restored exactly, or refused.
 */
import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { microsOf } from '../../../../shared/pitr/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { askEverySecond } from '../../../harness/env/capture/ask-every-second.ts';
import { Journal, secondsSince } from '../../../harness/env/capture/journal.ts';
import { createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(stopCaptureEnv);

const before = { 'users/u0': '1', 'users/u1': '1', 'users/u0/notes/a': '1' };
/** One may be in several places: a collection id is known or not, wherever it is. */
const parents = ['', 'users/u0/', 'users/u1/', 'users/none/deep/x/', 'new0/d0/'];

/** A document that is created, perhaps changed, and deleted; the same name may live again. Times in tenths of a second. */
const life = fc.record({
  path: fc
    .tuple(fc.constantFrom(...parents), fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 3 }))
    .map(([parent, id, n]) => `${parent}new${id}/d${n}`),
  begins: fc.integer({ min: 0, max: 450 }),
  lasts: fc.integer({ min: 1, max: 250 }),
  changedAfter: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
});
const history = fc.record({
  lives: fc.array(life, { minLength: 8, maxLength: 40 }),
  intervalSeconds: fc.constantFrom(10, 20),
  /** Nothing listens for so long, after some captures. */
  awaySeconds: fc.constantFrom(0, 0, 3, 12),
  /** The source is not counted for so long, as if it was too large for each capture to do so. */
  uncountedSeconds: fc.constantFrom(0, 0, 25, 45),
  /** Calls that the source refuses. What it refuses to count or read is not found: it must be a gap, or be found later. */
  refused: fc.constantFrom(undefined, 'RunQuery', 'RunAggregationQuery', 'ListCollectionIds'),
});

test('new ids property: every moment is exact or refused, and most are exact', async () => {
  const total = { exact: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(history, async ({ lives, intervalSeconds, awaySeconds, uncountedSeconds, refused }) => {
      const t = await createActiveCapture(before, { captureIntervalSeconds: intervalSeconds });
      const journal = new Journal(t, before);
      await t.runNextCycle();
      const start = microsOf(t.pitr.capturedTo!);
      const due = lives
        .flatMap(({ path, begins, lasts, changedAfter }, n) => [
          { at: begins, path, text: `${n}` },
          // A collection that is gone at the next count is found only where another one is, or not refused.
          ...(refused || uncountedSeconds > 0 ? [{ at: begins, path: path.replace(/d\d$/, 'stays'), text: `${n}` }] : []),
          ...(changedAfter !== undefined && changedAfter < lasts ? [{ at: begins + changedAfter, path, text: `${n}+` }] : []),
          { at: begins + lasts, path, text: null },
        ])
        .sort((a, b) => a.at - b.at);
      const startMs = t.nowMs;
      let [news, isUncounted] = [0, uncountedSeconds > 0];
      if (isUncounted) t.server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 100_000 });
      const write = async (): Promise<void> => {
        const tenths = (t.nowMs - startMs) / 100;
        if (isUncounted && tenths >= uncountedSeconds * 10) {
          t.server.faults.clear();
          isUncounted = false;
        }
        // In each cycle there is a new collection.
        if (tenths >= uncountedSeconds * 10 && news <= Math.floor(tenths / 40)) await journal.put({ [`root${news++}/x`]: '1' });
        while (due[0] && due[0].at <= tenths) {
          const { path, text } = due.shift()!;
          await journal.put({ [path]: text });
        }
      };
      const capture = async (seconds: number): Promise<void> => {
        for (let n = 0; n < 60 && t.pitr.status !== 'active'; n++) {
          await t.runRequestedBase();
          await t.runNextCycle();
          await write();
        }
        await listen(t, { seconds, happens: write });
        await t.runRequestedBase();
      };
      await capture(intervalSeconds * 2);
      if (refused) t.server.faults.add({ method: refused, status: 'PERMISSION_DENIED', times: 3 });
      for (let n = 0; n < awaySeconds * 2; n++) {
        t.pass(0.5);
        await write();
      }
      await capture(30);
      t.server.faults.clear();
      await capture(30);
      const { exact, refused: others } = await askEverySecond(t);
      total.exact += exact;
      total.refused += others;
      const some = secondsSince(t, start).filter((_, n) => n % 17 === 3);
      await journal.compare(some);
    }),
    { numRuns: propertyRuns({ quick: 1, usual: 3, fuzz: 200 }) },
  );
  ok(total.exact > 3 * total.refused, `${total.exact} exact, ${total.refused} refused`);
});
