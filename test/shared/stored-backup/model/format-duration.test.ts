import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { formatDuration } from '../../../../shared/stored-backup/model/format-duration.ts';

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
  test(`${durationMs} ms are ${text}`, () => equal(formatDuration(durationMs), text));
