/** A filter never rules out what it was made of, however small it is. */
import { equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { anything, bloomBytesMax, encodeBloom, mayContain } from '../../../../shared/archive/filter/bloom-filter.ts';

const valuesOf = (count: number): ReadonlySet<number> =>
  new Set(Array.from({ length: count }, (_, n) => Math.imul(n + 1, 0x9e3779b1) >>> 0));

test('bloom filter: of any size, it may contain every value that was added', () => {
  for (const count of [1, 2, 3, 5, 8, 13, 100, 1_000]) {
    const values = valuesOf(count);
    const filter = encodeBloom(values, 10);
    for (const value of values) ok(mayContain(filter, 0, value), `${value} of ${count}`);
  }
});

test('bloom filter: few other values may be contained; none is in one of nothing, all in one that is too large', () => {
  const filter = encodeBloom(valuesOf(1_000), 10);
  const wrong = Array.from({ length: 10_000 }, (_, n) => n).filter((n) => mayContain(filter, 0, n)).length;
  ok(wrong < 300, String(wrong));
  equal(mayContain(encodeBloom(new Set(), 10), 0, 7), false);
  const tooLarge = encodeBloom(valuesOf(bloomBytesMax), 10);
  equal(tooLarge, anything);
  equal(mayContain(tooLarge, 0, 7), true);
});
