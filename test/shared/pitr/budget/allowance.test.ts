import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { allowanceOf } from '../../../../shared/pitr/budget/allowance.ts';

const million = {
  ...{ allDocuments: 1_000_000, changes: 10_000, fixed: 8_640, count: 2_000, cyclesPerDay: 1_440 },
  ...{ auditDays: 30, budget: undefined },
};

test('without a budget the formula holds: 1.1 × the changes, all within auditDays, 0.5 % for counts, and what is fixed', () => {
  const { budget, audit, counts, auditDays, isShort } = allowanceOf(million);
  deepEqual({ audit, counts, auditDays, isShort }, { audit: 33_334, counts: 5_000, auditDays: 30, isShort: false });
  equal(budget, 11_000 + 8_640 + 33_334 + 5_000);
});

test('a short budget slows the audit down first, then pauses it, and only then counts get less', () => {
  const of = (budget: number) => allowanceOf({ ...million, budget });
  deepEqual([of(60_000).auditDays, of(60_000).counts, of(60_000).isShort], [30, 5_000, false]);
  const slow = of(40_000);
  deepEqual([slow.audit, slow.auditDays, slow.counts, slow.isShort], [15_360, 66, 5_000, true]);
  const paused = of(26_000);
  deepEqual([paused.audit, paused.auditDays, paused.counts, paused.isShort], [0, null, 5_000, true]);
  const few = of(20_000);
  deepEqual([few.audit, few.counts, few.isExceeded], [0, 360, false]);
  const none = of(10_000);
  deepEqual([none.audit, none.counts, none.isExceeded], [0, 0, true]);
});

test('a count that costs at most 20 reads is made at every capture', () => {
  const { counts } = allowanceOf({ ...million, allDocuments: 10_000, count: 20 });
  equal(counts, 20 * 1_440);
});

test('whatever is asked, audit and counts never exceed what the budget leaves', () => {
  const number = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(
      fc.record({
        ...{ allDocuments: number(1e9), changes: number(1e7), fixed: number(1e6), count: fc.integer({ min: 1, max: 1e6 }) },
        ...{ cyclesPerDay: fc.integer({ min: 1, max: 8_640 }), auditDays: fc.integer({ min: 7, max: 365 }), budget: number(1e8) },
      }),
      (demand) => {
        const { audit, counts, isExceeded } = allowanceOf(demand);
        ok(audit >= 0 && counts >= 0);
        const first = Math.ceil(demand.changes + demand.changes * 0.1) + demand.fixed;
        ok(isExceeded ? audit + counts === 0 : first + audit + counts <= demand.budget);
      },
    ),
    { numRuns: 200 },
  );
});
