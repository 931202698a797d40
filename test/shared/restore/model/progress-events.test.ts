/** Progress of a restore: checking is the first half, writing the second, and 100 means completed. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import type { RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { percentOf, restoreProgress } from '../../../../shared/restore/model/restore-progress.ts';
import { emptyPlan } from '../../../../shared/restore/plan/check-progress.ts';

const begun = {
  status: 'running',
  dryRun: false,
  plan: null,
  expected: 0,
  checked: 0,
  written: 0,
  deleted: 0,
  raced: 0,
  failed: 0,
} as unknown as RestoreRecord;

/** All that a restore goes through, in its order. */
const course = (parts: readonly number[], dryRun: boolean): readonly RestoreRecord[] => {
  const all = parts.reduce((sum, part) => sum + part, 0);
  const states: RestoreRecord[] = [{ ...begun, dryRun, expected: all }];
  const last = (): RestoreRecord => states.at(-1) ?? begun;
  for (const part of parts) states.push({ ...last(), checked: last().checked + part });
  states.push({ ...last(), plan: { ...emptyPlan, create: all, skip: 3, unchanged: 4 }, sealedAt: '2026-01-01T00:00:00.000Z' });
  if (!dryRun) for (const part of parts) states.push({ ...last(), written: last().written + part });
  states.push({ ...last(), status: 'completed' });
  return states;
};

test('progress: it never decreases, and is 100 only at the end', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { maxLength: 20 }), fc.boolean(), (parts, dryRun) => {
      const percents = course(parts, dryRun).map(percentOf);
      deepEqual(
        percents.toSorted((a, b) => a - b),
        percents,
      );
      ok(percents.slice(0, -1).every((percent) => percent < 100));
      equal(percents.at(-1), 100);
    }),
  );
});

test('progress: writing starts at 50 percent, and only writes advance it from there', () => {
  const states = course([50, 50], false);
  deepEqual(states.map(percentOf), [0, 25, 49, 50, 75, 99, 100]);
  deepEqual(course([50, 50], true).map(percentOf), [0, 50, 99, 99, 100]);
});

test('progress: documents counts known outcomes; the total is known once all is checked', () => {
  deepEqual(
    course([50, 50], false).map(({ ...state }) => {
      const { documents, totalDocuments } = restoreProgress(state);
      return [documents, totalDocuments];
    }),
    [
      [0, null],
      [0, null],
      [0, null],
      [7, 107],
      [57, 107],
      [107, 107],
      [107, 107],
    ],
  );
});

test('progress: failed, raced and deleted documents count like written ones', () => {
  const plan = { ...emptyPlan, create: 2, overwrite: 1, delete: 1 };
  const state = { ...begun, plan, sealedAt: 'then', written: 1, raced: 1, failed: 1 };
  deepEqual(restoreProgress(state), { percent: 87, documents: 3, totalDocuments: 4 });
  deepEqual(restoreProgress({ ...state, deleted: 1 }), { percent: 99, documents: 4, totalDocuments: 4 });
});
