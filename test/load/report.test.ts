import { equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { newTally } from './meter.ts';
import { type Moment, memoryGrowth } from './report.ts';

const megabytes = (...held: readonly number[]): Moment[] =>
  held.map((mb, n) => ({
    ...{ atSeconds: 60 * (n + 1), seconds: 60, tally: newTally(), jobsEnded: 0, deliveries: 0, tableBytes: 0 },
    ...{ stageBytes: mb * 1_048_576, wasKilled: false },
  }));

test('memory growth compares intervals of the last process only', () => {
  const [first, killed] = megabytes(900, 1_900) as [Moment, Moment];
  const moments = [first, { ...killed, wasKilled: true }, ...megabytes(100, 400, 500, 500, 530, 530)];
  match(memoryGrowth(moments), /: 500 MB in .* 530 MB in the last, 15\.0 MB a minute$/);
});

test('memory growth needs at least three intervals', () =>
  equal(memoryGrowth(megabytes(1, 2)), 'too short to say how memory grows'));
