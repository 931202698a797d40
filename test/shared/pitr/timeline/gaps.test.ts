import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { type Gap, microsOf, momentOf } from '../../../../shared/pitr/index.ts';
import { withGaps } from '../../../../shared/pitr/timeline/gaps.ts';

const start = microsOf('2030-06-01T00:00:00Z');
const at = (minute: number): string => momentOf(start + minute * 60_000_000);
const bridged = (from: number, to: number): Gap => ({ from: at(from), to: at(to), reason: 'too much', isBridged: true });
const lost: Gap = { from: at(0), to: at(30), reason: 'lost' };

test('gaps: adjacent bridged gaps are joined, however many', () => {
  let gaps: readonly Gap[] = [lost];
  for (let minute = 60; minute < 60 + 1_500; minute++) gaps = withGaps(gaps, bridged(minute, minute + 1));
  assert.deepEqual(gaps, [lost, bridged(60, 1_560)]);
});

test('gaps: if there are too many, the oldest are merged into one that no base bridges; open ones stay', () => {
  const lasting: Gap = { from: at(1), to: null, reason: 'deeper', collections: ['a'], heardFrom: at(2) };
  const many = Array.from({ length: 1_150 }, (_, n) => bridged(60 + 2 * n, 61 + 2 * n));
  let gaps = withGaps([lost, lasting], ...many.slice(0, 800));
  for (let n = 800; n < many.length; n += 10) gaps = withGaps(gaps, ...many.slice(n, n + 10));
  assert.ok(gaps.length <= 1_000 && JSON.stringify(gaps).length < 150_000, `${gaps.length}`);
  assert.deepEqual([gaps[0]!.from, gaps[0]!.isBridged, gaps[0]!.collections], [lost.from, undefined, undefined]);
  assert.deepEqual(gaps[1], lasting);
  assert.deepEqual(gaps.at(-1), bridged(60 + 2 * 1_149, 61 + 2 * 1_149));
});

test('gaps: many gaps of many collections are merged, but never become a gap of all', () => {
  const some = (n: number): Gap => ({
    from: at(n),
    to: at(n + 1),
    reason: 'found by a later base',
    collections: Array.from({ length: 100 }, (_, m) => `collection-${n}-${m}`),
    count: 5_000,
    lists: [`list-${n}`],
  });
  let gaps: readonly Gap[] = [];
  for (let n = 0; n < 1_200; n++) gaps = withGaps(gaps, some(n));
  assert.ok(gaps.length <= 1_000 && JSON.stringify(gaps).length < 150_000, `${gaps.length}`);
  assert.ok(gaps.every(({ collections }) => collections && collections.length > 0));
  assert.deepEqual(new Set(gaps.flatMap(({ lists }) => lists!)), new Set(Array.from({ length: 1_200 }, (_, n) => `list-${n}`)));
  assert.equal(
    gaps.reduce((sum, { count }) => sum + count!, 0),
    1_200 * 5_000,
  );
});

const gap = fc
  .record({
    from: fc.nat(3_000),
    minutes: fc.integer({ min: 1, max: 40 }),
    kind: fc.constantFrom('loss', 'bridged', 'some', 'lasting'),
  })
  .map(({ from, minutes, kind }): Gap => {
    const span = { from: at(from), to: at(from + minutes), reason: 'x'.repeat(150) };
    if (kind === 'bridged') return { ...span, isBridged: true };
    if (kind === 'some') return { ...span, collections: ['a', 'b'] };
    return kind === 'loss' || from > 5 ? span : { ...span, to: null, collections: ['a'], heardFrom: at(from) };
  });

test('gaps: merging never hides a missing moment', () =>
  fc.assert(
    fc.property(fc.array(gap, { minLength: 500, maxLength: 900, size: 'max' }), (all) => {
      let kept = withGaps([], ...all.slice(0, 400));
      for (let n = 400; n < all.length; n += 10) kept = withGaps(kept, ...all.slice(n, n + 10));
      for (const one of all)
        assert.ok(
          kept.some(
            (other) =>
              microsOf(other.from) <= microsOf(one.from) &&
              (other.to === null || (one.to !== null && microsOf(other.to) >= microsOf(one.to))) &&
              (one.isBridged || !other.isBridged) &&
              (!other.collections || one.collections?.every((id) => other.collections?.includes(id))),
          ),
        );
    }),
    { numRuns: 2 },
  ));
