/** Requested names that the backup lacks. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { findMissing } from '../../../../shared/restore/scope/find-missing.ts';
import { archiveOf, text } from '../../../harness/env/restore/document-walk-env.ts';
import { awkward } from '../../../harness/firestore/firestore-server.ts';

const of = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, text('x')]));
type Archive = Parameters<typeof findMissing>[0];
type Requested = Omit<Parameters<typeof findMissing>[1], 'includeSubcollections'>;
/** Collections first, then documents. */
const missingIn = async (archive: Archive, requested: Requested, isOver?: () => boolean) => {
  const found = await findMissing(archive, { includeSubcollections: true, ...requested }, isOver);
  return found && [...found.missing.unknownCollections, ...found.missing.notFound];
};
const named = (...paths: string[]) => paths.map((path) => [path, [path]] as const);

test('findMissing: documents are found by path, whatever their ids; children and neighbours do not count', async () => {
  const { archive } = archiveOf('p', of(awkward));
  deepEqual(await missingIn(archive, { collections: ['*'], given: named(...awkward) }), []);
  const others = ['gone/1', 'gone/1/also-gone/2', 'a/x\n', 'a/__id8__', 'a/X', 'nobody/1', '\0/\0', '\u{1f601}/1'];
  deepEqual(await missingIn(archive, { collections: ['*'], given: named(...others, ...awkward) }), others);
});

test('findMissing: a bare id is found if any of its paths is', async () => {
  const { archive } = archiveOf('p', of(['users/ada', 'staff/bob']));
  const given = [
    ['ada', ['staff/ada', 'users/ada']],
    ['bob', ['staff/bob', 'users/bob']],
    ['eve', ['staff/eve', 'users/eve']],
  ] as const;
  deepEqual(await missingIn(archive, { collections: ['staff', 'users'], given }), ['eve']);
});

test('findMissing: with a time limit it returns all missing names, or undefined', async () => {
  const { archive } = archiveOf('p', of(['users/ada']));
  const asked = { collections: ['*'], given: named('users/ada', ...Array.from({ length: 40 }, (_, n) => `users/${n}`)) };
  for (const looks of [0, 1, 40]) {
    let left = looks;
    equal(await missingIn(archive, asked, () => left-- <= 0), undefined);
  }
  equal((await missingIn(archive, asked, () => false))?.length, 40);
});

test('findMissing: a collection exists if it contains anything, at any depth', async () => {
  const { archive } = archiveOf('p', of(['users/ada', 'ghosts/none/orders/1', 'users!/x', 'z/1/y/2']));
  const collections = [
    'ghosts',
    'ghosts/none/orders',
    'nobody',
    'user',
    'users',
    'users!',
    'users/ada/orders',
    'z',
    'z/1/y',
    'zz',
  ];
  deepEqual(await missingIn(archive, { collections }), ['nobody', 'user', 'users/ada/orders', 'zz']);
  deepEqual(await missingIn(archive, { collections: ['*'] }), []);
});

test('findMissing: a tombstone is missing', async () => {
  const { archive } = archiveOf('p', {
    'a/here': text('x'),
    'a/gone': undefined,
    'b/gone': undefined,
    'b/there': text('x'),
    'c/gone': undefined,
  });
  const given = named('a/here', 'a/gone', 'b/there', 'c/gone');
  deepEqual(await missingIn(archive, { collections: ['a', 'b', 'c'], given }), ['c', 'a/gone', 'c/gone']);
});

test('findMissing: the first 1,000 of each kind are returned in request order, with their number', async () => {
  const { archive } = archiveOf('p', {});
  const paths = Array.from({ length: 1_200 }, (_, n) => `a/${1_200 - n}`);
  const found = await findMissing(archive, { collections: ['b'], given: named(...paths), includeSubcollections: true });
  deepEqual(found?.missing, {
    unknownCollections: ['b'],
    unknownCollectionsCount: 1,
    notFound: paths.slice(0, 1_000),
    notFoundCount: 1_200,
  });
});

test('findMissing: one document costs an index page and the keys of a leaf; neighbours cost nothing more', async () => {
  const paths = Array.from({ length: 2_000 }, (_, n) => `many/${String(n).padStart(5, '0')}`);
  const { archive, bucket } = archiveOf('p', Object.fromEntries(paths.map((path) => [path, text('y'.repeat(2_000))])));
  bucket.fetches = [];
  await missingIn(archive, { collections: ['many'], given: named(...paths.slice(500, 520)) });
  ok(bucket.fetches.length <= 4, `${bucket.fetches.length}`);
  const all = [...bucket.objects.values()].reduce((sum, { length }) => sum + length, 0);
  ok(bucket.fetches.reduce((sum, { length }) => sum + length, 0) < all / 3);
});

test('findMissing: for random backups it equals a plain search', async () => {
  const collection = fc.constantFrom('a', 'b', 'a!', 'é');
  const id = fc.constantFrom('1', 'x', 'x!', '__id3__');
  const path = fc.array(fc.tuple(collection, id), { minLength: 1, maxLength: 2 }).map((parts) => parts.flat().join('/'));
  const below = fc
    .tuple(fc.option(path, { nil: undefined }), collection)
    .map(([at, last]) => (at === undefined ? last : `${at}/${last}`));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { maxLength: 20 }),
      fc.uniqueArray(path, { maxLength: 6 }),
      fc.uniqueArray(below, { maxLength: 6 }),
      fc.constantFrom(2, 1_000),
      async (there, documents, collections, perShard) => {
        const { archive } = archiveOf('p', of(there), perShard);
        const expected = [
          ...collections.filter((one) => !there.some((at) => at.startsWith(`${one}/`))),
          ...documents.filter((one) => !there.includes(one)),
        ];
        deepEqual(await missingIn(archive, { collections, given: named(...documents) }), expected);
        deepEqual(await missingIn(archive, { collections: ['*'] }), []);
      },
    ),
    { numRuns: 200 },
  );
});

test('findMissing: it says so if the backup has none of the requested names', async () => {
  const { archive } = archiveOf('p', of(['users/ada', 'ghosts/none/orders/1']));
  const nothing = async (collections: readonly string[], paths: readonly string[] = [], includeSubcollections = true) =>
    (await findMissing(archive, { collections, given: named(...paths), includeSubcollections }))?.nothingFound;
  deepEqual(await nothing(['nobody', 'orders']), {
    code: 'COLLECTION_NOT_FOUND',
    message: 'The backup has none of the requested collections: nobody, orders',
    details: { names: ['nobody', 'orders'], count: 2 },
  });
  deepEqual(await nothing(['*'], ['users/bob', 'users/eve']), {
    code: 'DOCUMENT_NOT_FOUND',
    message: 'The backup has none of the requested documents: users/bob, users/eve',
    details: { names: ['users/bob', 'users/eve'], count: 2 },
  });
  equal((await nothing(['users'], ['users/bob']))?.code, 'DOCUMENT_NOT_FOUND');
  equal((await nothing(['nobody'], ['nobody/1']))?.code, 'COLLECTION_NOT_FOUND');
  for (const [collections, paths] of [
    [['*'], []],
    [['users', 'nobody'], []],
    [['*'], ['users/ada', 'users/bob']],
    // The document does not exist, but its subcollection does.
    [['*'], ['ghosts/none']],
  ] as const)
    equal(await nothing(collections, paths), undefined);
  equal((await nothing(['*'], ['ghosts/none'], false))?.code, 'DOCUMENT_NOT_FOUND');
});

test('findMissing: a failure names the first 100, and how many there are', async () => {
  const { archive } = archiveOf('p', {});
  const collections = Array.from({ length: 150 }, (_, n) => `c${n}`);
  const { message, details } = (await findMissing(archive, { collections, includeSubcollections: true }))!.nothingFound!;
  equal(message, 'The backup has none of the requested collections: c0, c1, c2, …');
  deepEqual(details, { names: collections.slice(0, 100), count: 150 });
});
