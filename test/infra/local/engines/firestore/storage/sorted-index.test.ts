import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { SortedIndex } from '../../../../../../infra/local/engines/firestore/storage/sorted-index.ts';
import { holds } from '../../../../../harness/firestore/encoded.ts';

const key = fc.integer({ min: 0, max: 3000 }).map((n) => n.toString(36));
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set' as const), key, value: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), key, value: fc.nat() }) },
);

const walked = (
  tree: SortedIndex,
  { from, to, backwards = false }: { readonly from: string; readonly to: string; readonly backwards?: boolean | undefined },
): [string, number][] => {
  const walk = tree.walk(from, to, backwards);
  const found: [string, number][] = [];
  while (walk.next()) found.push([walk.key, walk.value]);
  return found;
};

const change = (
  tree: SortedIndex,
  model: Map<string, number>,
  { kind, key, value }: { kind: 'set' | 'delete'; key: string; value: number },
) => {
  if (kind === 'set') {
    tree.set(key, value);
    model.set(key, value);
  } else {
    tree.delete(key);
    model.delete(key);
  }
};

test('sorted index: it is a sorted map in both directions and in ranges', (t) =>
  holds(
    t,
    fc.property(fc.array(operation, { maxLength: 3000, size: 'max' }), key, key, (operations, a, b) => {
      const tree = new SortedIndex();
      const model = new Map<string, number>();
      for (const one of operations) change(tree, model, one);
      const sorted = [...model].sort(([x], [y]) => (x < y ? -1 : 1));
      assert.equal(tree.size, model.size);
      assert.deepEqual(walked(tree, { from: '', to: '\xff' }), sorted);
      assert.deepEqual(walked(tree, { from: '', to: '\xff', backwards: true }), sorted.toReversed());
      const [from, to] = a < b ? [a, b] : [b, a];
      const within = sorted.filter(([k]) => from <= k && k < to);
      assert.deepEqual(walked(tree, { from, to }), within);
      assert.deepEqual(walked(tree, { from, to, backwards: true }), within.toReversed());
      for (const k of [a, b]) assert.equal(tree.get(k), model.get(k));
    }),
    100,
  ));

test('sorted index: ascending, descending and shuffled keys are all kept', () => {
  const keys = Array.from({ length: 5000 }, (_, i) => String(i).padStart(6, '0'));
  const shuffled = keys.map((k, i) => [(i * 7919) % 5000, k] as const).sort(([a], [b]) => a - b);
  for (const order of [keys, keys.toReversed(), shuffled.map(([, k]) => k)]) {
    const tree = new SortedIndex();
    for (const [i, k] of order.entries()) tree.set(k, i);
    assert.deepEqual(
      walked(tree, { from: '', to: '\xff' }).map(([k]) => k),
      keys,
    );
    for (const k of order) tree.delete(k);
    assert.equal(tree.size, 0);
    assert.deepEqual(walked(tree, { from: '', to: '\xff' }), []);
  }
});

test('sorted index: a walk meets every lasting key exactly once and in order, despite concurrent changes', (t) =>
  holds(
    t,
    fc.property(
      fc.uniqueArray(key, { maxLength: 600, size: 'max' }),
      fc.array(operation, { maxLength: 600, size: 'max' }),
      fc.boolean(),
      (first, operations, backwards) => {
        const tree = new SortedIndex();
        const model = new Map<string, number>();
        for (const k of first) change(tree, model, { kind: 'set', key: k, value: 1 });
        const touched = new Set(operations.map((one) => one.key));
        const walk = tree.walk('', '\xff', backwards);
        const met: string[] = [];
        for (let i = 0; walk.next(); i++) {
          met.push(walk.key);
          const one = operations[i];
          if (one) change(tree, model, one);
        }
        const sorted = met.toSorted();
        assert.deepEqual(met, backwards ? sorted.toReversed() : sorted);
        assert.equal(new Set(met).size, met.length);
        for (const k of first) if (!touched.has(k)) assert.ok(met.includes(k), `missed ${k}`);
      },
    ),
    100,
  ));
