import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { makeHistogram } from './histogram.ts';

test('a quantile is at least the true one and at most 5 % above it', () => {
  const times = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(times, fc.constantFrom(0.01, 0.5, 0.9, 0.99, 1), (all, share) => {
      const histogram = makeHistogram();
      for (const ms of all) histogram.note(ms);
      const exact = all.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(all.length * share)) - 1] ?? 0;
      const said = histogram.quantile(share);
      ok(said >= exact * 0.999_999 && said <= exact * 1.05 * 1.000_001, `${said} instead of ${exact}`);
    }),
  );
});

test('a quantile of an empty histogram is NaN', () => ok(Number.isNaN(makeHistogram().quantile(0.5))));
