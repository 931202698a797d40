/** Collections that are heard at different times: a count of everything proves only moments at which none was listened to. */
import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { askEverySecond } from '../../../harness/env/capture/ask-every-second.ts';
import { createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(stopCaptureEnv);

/** In tenths of a second after captures begin again. */
const moment = fc.integer({ min: 0, max: 90 });
const story = fc.record({
  /** Documents that existed before, and are deleted while they are listened to. */
  deleted: fc.array(moment, { minLength: 1, maxLength: 4 }),
  /** Documents of new collections, which are found at the end of a cycle only. */
  lives: fc.array(fc.record({ id: fc.constantFrom('fresh', 'other'), from: moment, tenths: fc.integer({ min: 5, max: 60 }) }), {
    minLength: 2,
    maxLength: 6,
  }),
  awaySeconds: fc.integer({ min: 2, max: 15 }),
});

/** A deletion that was heard, and a document that lived only before its collection was found: the number of all documents is the same. */
const cancelling = {
  deleted: [30],
  lives: [
    { id: 'fresh', from: 40, tenths: 20 },
    { id: 'fresh', from: 80, tenths: 60 },
  ],
  awaySeconds: 5,
};

test('past moments: with live deletions and collections found late, every second is exact or refused', async () => {
  const total = { exact: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(story, async ({ deleted, lives, awaySeconds }) => {
      const documents = Object.fromEntries(deleted.map((_, n) => [`users/d${n}`, '0']));
      const t = await createActiveCapture({ 'users/stays': '0', ...documents }, { captureIntervalSeconds: 10 });
      await t.runNextCycle();
      for (let n = 0; n < awaySeconds; n++) {
        t.pass(1);
        await t.put({ [`users/b${n}`]: '0', [`users/b${n - 1}`]: null });
      }
      const due = [
        ...deleted.map((at, n) => ({ at, path: `users/d${n}`, text: null })),
        ...lives.flatMap(({ id, from, tenths }, n) => [
          { at: from, path: `${id}/l${n}`, text: '0' },
          { at: from + tenths, path: `${id}/l${n}`, text: null },
        ]),
      ].sort((a, b) => a.at - b.at);
      // The cycle goes on for ten seconds in which the known collections are listened to.
      t.table.put({ ...t.pitr, nextTurnAt: new Date(t.nowMs + 10_000).toISOString() });
      const startMs = t.nowMs;
      const happens = async (): Promise<void> => {
        while (due[0] && due[0].at * 100 <= t.nowMs - startMs) {
          const { path, text } = due.shift()!;
          await t.put({ [path]: text });
        }
      };
      await listen(t, { seconds: 30, happens, isEarly: true });
      const { exact, refused } = await askEverySecond(t);
      total.exact += exact;
      total.refused += refused;
    }),
    { numRuns: propertyRuns({ usual: 8, fuzz: 300 }), examples: [[cancelling]] },
  );
  ok(total.exact > 3 * total.refused, `${total.exact} exact, ${total.refused} refused`);
});
