import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import {
  below,
  childKey,
  depth,
  keyPath,
  keyPrefix,
  lastKey,
  lastSegment,
  nextKey,
  parentKey,
  pathKey,
} from '../../../../../../infra/local/engines/firestore/base/path-key.ts';
import { anyCharacter } from '../../../../../harness/builders/any-character.ts';
import { holds } from '../../../../../harness/firestore/encoded.ts';

const segment = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6 }),
  fc.string({ minLength: 1, maxLength: 4, unit: anyCharacter }),
  fc.constantFrom('a', 'aa', 'b', '\0', '\x01', '\x02', 'c\0', '~', 'é', '日', '\uffff', '😀', '__id', '__id007__', '__idx__'),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((id) => `__id${id}__`),
  fc.integer({ min: -3, max: 3 }).map((id) => `__id${id}__`),
);
const path = fc
  .array(
    segment.filter((text) => !text.includes('/') && Buffer.from(text).toString() === text),
    { minLength: 1, maxLength: 5 },
  )
  .map((segments) => segments.join('/'));

/** A slow reference implementation of the documented order. */
const compareSegments = (a: string, b: string): number => {
  const number = (text: string) => {
    const digits = /^__id(-?\d+)__$/.exec(text)?.[1];
    return digits !== undefined && String(BigInt(digits)) === digits && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)
      ? BigInt(digits)
      : undefined;
  };
  const [x, y] = [number(a), number(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0;
  if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
  return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
};
const comparePaths = (a: string, b: string): number => {
  const [x, y] = [a.split('/'), b.split('/')];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = compareSegments(x[i]!, y[i]!);
    if (order !== 0) return order;
  }
  return Math.sign(x.length - y.length);
};
const compareKeys = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

test('path key: keys order like paths: segment by segment, numbers first, names by UTF-8, parents before children', (t) =>
  holds(
    t,
    fc.property(path, path, (a, b) => assert.equal(compareKeys(pathKey(a), pathKey(b)), comparePaths(a, b))),
    2000,
  ));

test('path key: a key converts back to its path', (t) =>
  holds(
    t,
    fc.property(path, (a) => assert.equal(keyPath(pathKey(a)), a)),
    2000,
  ));

test('path key: the range below a key contains exactly its descendants', (t) =>
  holds(
    t,
    fc.property(path, path, (a, b) => {
      const key = pathKey(b);
      const { from, to } = below(pathKey(a));
      assert.equal(from <= key && key < to, b.startsWith(`${a}/`));
      assert.ok(key < lastKey);
      assert.ok(key > pathKey(a) ? key >= nextKey(pathKey(a)) : key < nextKey(pathKey(a)));
    }),
    2000,
  ));

test('path key: keys split like paths', (t) =>
  holds(
    t,
    fc.property(path, (a) => {
      const segments = a.split('/');
      const key = pathKey(a);
      assert.equal(depth(key), segments.length);
      assert.equal(lastSegment(key), segments.at(-1));
      assert.equal(parentKey(key), pathKey(segments.slice(0, -1).join('/')));
      assert.equal(childKey(parentKey(key), segments.at(-1)!), key);
      for (let n = 0; n <= segments.length; n++) assert.equal(keyPrefix(key, n), pathKey(segments.slice(0, n).join('/')));
    }),
  ));

test('path key: the empty key has no parent and contains everything', () => {
  assert.equal(pathKey(''), '');
  assert.equal(depth(''), 0);
  assert.deepEqual(below(''), { from: '', to: lastKey });
});
