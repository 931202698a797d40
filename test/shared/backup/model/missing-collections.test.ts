import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { missingCollections } from '../../../../shared/backup/model/missing-collections.ts';

test('missingCollections: a collection that is named twice is listed and counted once', () => {
  const missing = missingCollections(['gone', 'lost', 'gone'], ['gone', 'lost']);
  deepEqual(missing?.details, { names: ['gone', 'lost'], count: 2 });
  match(missing?.message ?? '', /: gone, lost\. /);
});

test('missingCollections: nothing is missing while one of the named collections exists', () => {
  equal(missingCollections(['gone', 'users'], ['gone']), undefined);
  equal(missingCollections(['*'], []), undefined);
});

test('missingCollections: the message names five, the details a hundred', () => {
  const names = Array.from({ length: 120 }, (_, n) => `c${n}`);
  const missing = missingCollections(names, names);
  match(missing?.message ?? '', /: c0, c1, c2, c3, c4 and 115 more\. /);
  deepEqual(missing?.details, { names: names.slice(0, 100), count: 120 });
});
