import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { reportPresets } from '../../../../../functions/console/app/parts/report/report-presets.ts';

test('report presets: the last whole month, quarter and year, also across a new year', () => {
  const daysOf = (now: Date) =>
    reportPresets(now)
      .slice(1)
      .map(({ from, to }) => [from, to]);
  deepEqual(daysOf(new Date(2026, 10, 18)), [
    ['2026-10-01', '2026-10-31'],
    ['2026-07-01', '2026-09-30'],
    ['2025-01-01', '2025-12-31'],
  ]);
  deepEqual(daysOf(new Date(2024, 0, 31)), [
    ['2023-12-01', '2023-12-31'],
    ['2023-10-01', '2023-12-31'],
    ['2023-01-01', '2023-12-31'],
  ]);
});
