/** Names sort like Firestore's `__name__`; otherwise a merge with a Firestore stream would lose documents. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { afterSubtree, compareNames } from '../../../../shared/archive/index.ts';
import { compareRanges, sharedBytes } from '../../../../shared/archive/name/compare-names.ts';
import { seed } from '../../../harness/builders/reported-seed.ts';

const order = (a: string, b: string): number => Math.sign(compareNames(Buffer.from(a), Buffer.from(b)));

const ascending = [
  'c/__id-9223372036854775808__',
  'c/__id-2__',
  'c/__id-1__',
  'c/__id0__',
  'c/__id2__',
  'c/__id2__/s/x',
  'c/__id10__',
  'c/__id9223372036854775807__',
  'c/ ',
  'c/!',
  'c/0',
  'c/00',
  'c/A',
  'c/__id',
  'c/__id-0__',
  'c/__id-9223372036854775809__',
  'c/__id01__',
  'c/__id1',
  'c/__id1_',
  'c/__id1__x',
  'c/__id9223372036854775808__',
  'c/__idx__',
  'c/a',
  'c/a/s/x',
  'c/a/s!/x',
  'c/a\0',
  'c/a!',
  'c/ab',
  'c/ä',
  'c/東',
  'c/\uffee',
  'c/🚀',
  'c\0/a',
  'c!/a',
  'd/a',
];

test('compareNames: numeric ids first and by number, other ids by UTF-8, documents before their subcollections', () => {
  for (const [i, a] of ascending.entries())
    for (const [j, b] of ascending.entries())
      equal(order(a, b), Math.sign(i - j), `${JSON.stringify(a)} and ${JSON.stringify(b)}`);
});

/** Reference implementation: numbers before texts in each segment. */
const keyOf = (name: string): { readonly number?: bigint; readonly text: Buffer }[] =>
  name.split('/').map((segment) => {
    const number = /^__id(0|-?[1-9]\d{0,18})__$/.exec(segment)?.[1];
    return { ...(number !== undefined && { number: BigInt(number) }), text: Buffer.from(segment) };
  });
const plainOrder = (a: string, b: string): number => {
  const [left, right] = [keyOf(a), keyOf(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [one, other] = [left[i]!, right[i]!];
    if (one.number !== other.number) {
      if (one.number === undefined || other.number === undefined) return one.number === undefined ? 1 : -1;
      return one.number < other.number ? -1 : 1;
    }
    const difference = Buffer.compare(one.text, other.text);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};

const segment = fc.oneof(
  fc.string({ unit: fc.constantFrom('_', 'i', 'd', '1', '0', '-', 'a', '\0', '!', 'é', '🚀'), minLength: 1, maxLength: 8 }),
  fc.integer({ min: -3, max: 12 }).map((number) => `__id${number}__`),
);
const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));

test('compareNames: agrees with the reference implementation for any two names', (t) => {
  fc.assert(
    fc.property(name, name, (a, b) => equal(order(a, b), Math.sign(plainOrder(a, b)))),
    { ...seed(t), numRuns: 5_000 },
  );
});

test('compareRanges: ranges of larger buffers compare like the names in them', (t) => {
  fc.assert(
    fc.property(name, name, fc.nat(5), fc.nat(5), (a, b, before, after) => {
      const pad = Buffer.concat([Buffer.alloc(before, '/'), Buffer.from(a), Buffer.alloc(after, 'x')]);
      const [left, right] = [Buffer.from(a), Buffer.from(b)];
      const end = before + left.length;
      equal(Math.sign(compareRanges(pad, before, end, right, 0, right.length)), order(a, b));
      const shared = sharedBytes(pad, before, end, right, 0, right.length);
      deepEqual(left.subarray(0, shared), right.subarray(0, shared));
      ok(shared === left.length || shared === right.length || left[shared] !== right[shared]);
    }),
    { ...seed(t), numRuns: 2_000 },
  );
});

test('afterSubtree: names from there on are exactly those after a name and everything below it', (t) => {
  fc.assert(
    fc.property(name, name, (a, b) => {
      const after = Math.sign(compareNames(Buffer.from(b), afterSubtree(Buffer.from(a))));
      equal(after >= 0, order(b, a) > 0 && !b.startsWith(`${a}/`), JSON.stringify([a, b]));
    }),
    {
      ...seed(t),
      examples: [
        ['c/__id9223372036854775807__', 'c/\0'],
        ['c/__id7__', 'c/__id8__'],
        ['a', 'a\0'],
      ],
    },
  );
});
