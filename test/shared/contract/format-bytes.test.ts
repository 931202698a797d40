import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';

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
  test(`${bytes} bytes are ${text}`, () => equal(formatBytes(bytes), text));
