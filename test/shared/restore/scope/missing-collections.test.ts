import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { missingCollectionsOf } from '../../../../shared/restore/scope/missing-collections.ts';

const reason = 'found below a document by a later base';
const lacks = { collections: ['notes', 'deep'], count: 2, complete: true, reason };
const all = { collections: ['*'], documents: undefined, includeSubcollections: true };

test('lacking collections: everything, or anything with its subcollections, lacks what the backup lacks', () => {
  deepEqual(missingCollectionsOf({ lacks }, all), lacks);
  deepEqual(missingCollectionsOf({ lacks }, { ...all, includeSubcollections: false }), lacks);
  deepEqual(missingCollectionsOf({ lacks }, { ...all, collections: ['users'] }), lacks);
  deepEqual(missingCollectionsOf({}, all), undefined);
});

test('lacking collections: without subcollections only the named ones count, unless not all are known', () => {
  const named = { ...all, collections: ['users', 'users/a/notes'], includeSubcollections: false };
  deepEqual(missingCollectionsOf({ lacks }, named), { collections: ['notes'], count: 1, complete: true, reason });
  deepEqual(missingCollectionsOf({ lacks }, { ...named, collections: ['users'] }), undefined);
  const documents = { paths: ['users/a/deep/x'], given: [] };
  deepEqual(missingCollectionsOf({ lacks }, { ...named, documents })?.collections, ['deep']);
  const some = { ...lacks, count: null, complete: false };
  deepEqual(missingCollectionsOf({ lacks: some }, { ...named, collections: ['users'] }), some);
});
