import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { lackingOf } from '../../../../shared/restore/scope/lacking-of.ts';

const reason = 'found below a document by a later base';
const lacks = { collections: ['notes', 'deep'], count: 2, complete: true, reason };
const all = { collections: ['*'], documents: undefined, includeSubcollections: true };

test('lacking collections: everything, or anything with its subcollections, lacks what the backup lacks', () => {
  deepEqual(lackingOf({ lacks }, all), lacks);
  deepEqual(lackingOf({ lacks }, { ...all, includeSubcollections: false }), lacks);
  deepEqual(lackingOf({ lacks }, { ...all, collections: ['users'] }), lacks);
  deepEqual(lackingOf({}, all), undefined);
});

test('lacking collections: without subcollections only the named ones count, unless not all are known', () => {
  const named = { ...all, collections: ['users', 'users/a/notes'], includeSubcollections: false };
  deepEqual(lackingOf({ lacks }, named), { collections: ['notes'], count: 1, complete: true, reason });
  deepEqual(lackingOf({ lacks }, { ...named, collections: ['users'] }), undefined);
  const documents = { paths: ['users/a/deep/x'], given: [] };
  deepEqual(lackingOf({ lacks }, { ...named, documents })?.collections, ['deep']);
  const some = { ...lacks, count: null, complete: false };
  deepEqual(lackingOf({ lacks: some }, { ...named, collections: ['users'] }), some);
});
