import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { decilesPassed, decilesUpTo } from '../../../../shared/job/index.ts';
import { topCollections } from '../../../../shared/stored-backup/model/backup-fields.ts';

for (const [told, documents, total, expected] of [
  [0, 0, 100, []],
  [0, 9, 100, []],
  [0, 10, 100, [10]],
  [10, 10, 100, []],
  [0, 35, 100, [10, 20, 30]],
  [30, 99, 100, [40, 50, 60, 70, 80, 90]],
  [0, 100, 100, [10, 20, 30, 40, 50, 60, 70, 80, 90]],
  [90, 100, 100, []],
  // A source that grew would pass its total: nothing beyond 90 is told before the end.
  [80, 250, 100, [90]],
  [0, 1, 3, [10, 20, 30]],
  [0, 5, 0, []],
  [0, 5, null, []],
] as const)
  test(`progress: ${documents} of ${total} documents after ${told} % was reported emits ${expected.join(', ') || 'nothing'}`, () =>
    deepEqual(decilesPassed(told, documents, total), expected));

test('progress: missing deciles are emitted at the end', () => {
  deepEqual(decilesUpTo(70, 90), [80, 90]);
  deepEqual(decilesUpTo(90, 90), []);
});

test('record: the largest collection counts are shown, as far as they fit', () => {
  const counts = Array.from({ length: 1_500 }, (_, n) => [`c${n}`, 1_500 - n] as const);
  deepEqual(topCollections(counts), counts.slice(0, 1_000));
  const long = Array.from({ length: 200 }, (_, n) => [`${n}`.padEnd(1_500, 'x'), 1] as const);
  deepEqual(topCollections(long), long.slice(0, 65));
});
