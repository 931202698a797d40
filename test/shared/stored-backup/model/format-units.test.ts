import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { formatDuration, formatSize } from '../../../../shared/stored-backup/model/format-units.ts';

for (const [bytes, text] of [
  [0, '0 B'],
  [1, '1 B'],
  [999, '999 B'],
  [1_000, '1.0 KB'],
  [1_500, '1.5 KB'],
  [999_949, '999.9 KB'],
  // Rounding must not leave a unit with four digits.
  [999_950, '1.0 MB'],
  [1_500_000, '1.5 MB'],
  [2_340_000_000, '2.3 GB'],
  [7_000_000_000_000, '7.0 TB'],
  [Number.MAX_SAFE_INTEGER, '9.0 PB'],
] as const)
  test(`format-units: ${bytes} bytes are ${text}`, () => equal(formatSize(bytes), text));

for (const [durationMs, text] of [
  [0, '0ms'],
  [450, '450ms'],
  [1_000, '1s'],
  [59_400, '59s'],
  [59_600, '1m 0s'],
  [150_000, '2m 30s'],
  [3_605_000, '1h 0m 5s'],
  [90_061_000, '25h 1m 1s'],
] as const)
  test(`format-units: ${durationMs} ms are ${text}`, () => equal(formatDuration(durationMs), text));
