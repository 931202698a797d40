import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { pathKey } from '../../../../infra/local/engines/firestore/base/path-key.ts';
import {
  collectionRange,
  compareTextNames,
  intersection,
  isCollectionPath,
  isDocumentPath,
  isInRange,
  scopeOf,
  tile,
} from '../../../../shared/firestore/index.ts';
import { anyCharacter } from '../../../harness/builders/any-character.ts';
import { awkward } from '../../../harness/firestore/firestore-server.ts';

const id = fc.oneof(
  fc.constantFrom('a', 'b', 'a\0', 'ab', 'a\u0001', 'a!', '\uffee', '\ud83d\ude00', 'é', '~', '_', '__', '__id', '__id7'),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 4 }).map((text) => text.replaceAll('/', '-')),
);
const numericId = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => `__id${n}__`);
const collectionId = id.filter((text) => isCollectionPath(text));
const documentId = fc
  .oneof({ weight: 3, arbitrary: id }, { weight: 1, arbitrary: numericId })
  .filter((text) => text !== '.' && text !== '..');
const documentPath = fc
  .array(fc.tuple(collectionId, documentId), { minLength: 1, maxLength: 3 })
  .map((steps) => steps.flat().join('/'));
const collectionPath = fc
  .tuple(fc.array(fc.tuple(collectionId, documentId), { maxLength: 1 }), collectionId)
  .map(([above, last]) => [...above.flat(), last].join('/'));

test('compareNames: orders names like the database', () => {
  fc.assert(
    fc.property(documentPath, documentPath, (a, b) => {
      const [x, y] = [pathKey(a), pathKey(b)];
      equal(Math.sign(compareTextNames(a, b)), x < y ? -1 : x > y ? 1 : 0);
    }),
    { numRuns: 2_000 },
  );
});

test('scopeOf: every wanted document is in exactly one range, every other in none', () => {
  const point = fc.oneof(
    documentPath,
    fc.constantFrom(...awkward),
    collectionPath.map((path) => `${path}\0/__id1__`),
  );
  fc.assert(
    fc.property(
      fc.option(fc.array(collectionPath, { maxLength: 4 }), { nil: undefined }),
      fc.array(collectionPath, { maxLength: 3 }),
      fc.array(point, { maxLength: 8 }),
      fc.array(documentPath, { minLength: 1, maxLength: 8 }),
      (include, exclude, points, documents) => {
        const ranges = tile(scopeOf(include, exclude), points);
        for (const document of [...documents, ...points, ...(include ?? []).map((path) => `${path}/x/deep/y`)]) {
          const isBelow = (path: string): boolean => document.startsWith(`${path}/`);
          const isWanted = (include === undefined || include.some(isBelow)) && !exclude.some(isBelow);
          equal(
            ranges.filter((range) => isInRange(document, range)).length,
            isWanted ? 1 : 0,
            JSON.stringify({ document, ranges }),
          );
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('scopeOf: ranges ascend and are not empty, and the range of everything is open', () => {
  fc.assert(
    fc.property(fc.array(documentPath, { maxLength: 10 }), fc.array(collectionPath, { maxLength: 3 }), (points, exclude) => {
      const ranges = tile(scopeOf(undefined, exclude), points);
      equal(ranges[0]?.from, undefined);
      equal(ranges.at(-1)?.to, undefined);
      for (const [n, { from, to }] of ranges.entries()) {
        ok(from === undefined || to === undefined || compareTextNames(from, to) < 0);
        const next = ranges[n + 1]?.from;
        if (next !== undefined) ok(compareTextNames(to ?? '', next) <= 0);
      }
    }),
  );
});

test('tile: duplicate, unsorted and outside points only affect the splits', () => {
  deepEqual(tile([{}], ['q/1', 'b/1', 'q/1']), [{ to: 'b/1' }, { from: 'b/1', to: 'q/1' }, { from: 'q/1' }]);
  deepEqual(tile(scopeOf(['b']), ['a/1', 'c/1']), [collectionRange('b')]);
  deepEqual(tile(scopeOf([]), ['a/1']), []);
});

test('intersection: a document in both scopes is in exactly one range', () => {
  const lists = fc.tuple(fc.array(collectionPath, { maxLength: 4 }), fc.array(collectionPath, { maxLength: 2 }));
  fc.assert(
    fc.property(lists, lists, fc.array(documentPath, { minLength: 1, maxLength: 8 }), (a, b, documents) => {
      const [left, right] = [scopeOf(...a), scopeOf(...b)];
      for (const document of [...documents, ...[...a[0], ...b[0]].map((path) => `${path}/x/deep/y`)]) {
        const isIn = (scope: typeof left): number => scope.filter((range) => isInRange(document, range)).length;
        equal(isIn(intersection(left, right)), isIn(left) * isIn(right), JSON.stringify({ document, a, b }));
      }
    }),
    { numRuns: 1_000 },
  );
  deepEqual(intersection([{}], [{ from: 'a/b' }]), [{ from: 'a/b' }]);
  deepEqual(intersection([{ to: 'a/b' }], [{ from: 'a/b' }]), []);
});

test('isDocumentPath: accepts paths of valid ids', () => {
  for (const path of ['a/b', 'a/b/c/d', 'a/__id7__', 'a/__x__', 'a/ ']) ok(isDocumentPath(path), path);
  for (const path of ['', 'a', 'a/b/c', '/a/b', 'a/', 'a//b', 'a/.', '__x__/b', `a/${'l'.repeat(1_501)}`])
    ok(!isDocumentPath(path), path);
});

test('isCollectionPath: accepts paths of valid ids', () => {
  for (const path of ['a', 'a/b/c', 'a b', '__x', 'a/__id7__/c', '*a']) ok(isCollectionPath(path), path);
  for (const path of ['', 'a/b', 'a/', '/a', '.', 'a/../c', '__x__', '____', '__id7__', 'a//b', 'l'.repeat(1_501), '\ud800']) {
    ok(!isCollectionPath(path), path);
    throws(() => collectionRange(path), TypeError);
  }
});
