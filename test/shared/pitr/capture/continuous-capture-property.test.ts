/** Random writes, captured by workers that hand over, lose their streams and crash: every offered second that was observed is exact. */
import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { microsOf } from '../../../../shared/pitr/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(stopCaptureEnv);

/** The last is in a collection that is not known at first. */
const lasting = 'new/root';
const paths = ['users/a', 'users/b', 'users/b/notes/n', 'shops/a', 'shops/a/notes/n', lasting];

interface Write {
  readonly path: string;
  readonly isGone: boolean;
  readonly afterSeconds: number;
}
interface Run {
  readonly seconds: number;
  readonly writes: readonly Write[];
  /** The stream fails after this many messages. */
  readonly breakAfter: number | undefined;
  /** The second in which the worker crashes. */
  readonly diesIn: number | undefined;
}

const write: fc.Arbitrary<Write> = fc.record({
  path: fc.constantFrom(...paths),
  isGone: fc.boolean(),
  afterSeconds: fc.double({ min: 0.001, max: 1.5, noNaN: true }).map((seconds) => Math.round(seconds * 1_000) / 1_000),
});
const seldom = (max: number) => fc.option(fc.integer({ min: 1, max }), { freq: 3, nil: undefined });
const run: fc.Arbitrary<Run> = fc.record({
  seconds: fc.integer({ min: 10, max: 60 }),
  writes: fc.array(write, { minLength: 5, maxLength: 25 }),
  breakAfter: seldom(60),
  diesIn: seldom(30),
});

/** Applies writes in sequence during the seconds of a run. */
const happening = (t: CaptureEnv, { writes, diesIn }: Run, die: AbortController) => {
  const left = [...writes];
  return async (second: number): Promise<void> => {
    if (second === diesIn) die.abort();
    for (const { path, isGone, afterSeconds } of left.splice(0, 2)) {
      t.pass(afterSeconds);
      await t.put({ [path]: isGone && path !== lasting ? null : `${second}` });
    }
  };
};

test('continuous capture property: every observed second is exact', async () => {
  let [heard, all] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(run, { minLength: 2, maxLength: 4 }), async (runs) => {
      const t = await createActiveCapture(
        { 'users/a': '1', 'users/b': '1', 'users/b/notes/n': '1', 'shops/b': '1' },
        { captureIntervalSeconds: 10 },
      );
      for (const [n, one] of runs.entries()) {
        if (one.breakAfter !== undefined)
          t.server.faults.add({ method: 'Listen', end: { afterMessages: one.breakAfter, status: 'UNAVAILABLE' } });
        const die = new AbortController();
        const others: Promise<unknown>[] = [];
        const enqueued = ({ isHandover }: { isHandover?: boolean }): void => {
          if (isHandover && n % 2 === 0) others.push(listen(t, { seconds: 20, isHandover, happens: async () => undefined }));
        };
        await listen(t, {
          seconds: one.seconds,
          happens: happening(t, one, die),
          onEnqueue: enqueued,
          signal: die.signal,
        });
        t.server.faults.clear();
        await Promise.all(others);
        await t.runRequestedBase();
      }
      if (t.pitr.status !== 'active') return;
      const { sampled = [] } = t.pitr;
      const isHeard = (second: number): boolean =>
        !sampled.some(({ from, to }) => microsOf(from) < second && second < microsOf(to));
      const seconds = t.secondsIn();
      const known = seconds.filter(isHeard);
      [heard, all] = [heard + known.length, all + seconds.length];
      if (known.length > 0) await t.assertExact(known);
    }),
    { numRuns: propertyRuns({ quick: 3, usual: 6 }) },
  );
  ok(heard > all / 3, `only ${heard} of ${all} seconds were heard`);
});
