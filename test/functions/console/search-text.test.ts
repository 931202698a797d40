import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { parseSearch, stringifySearch } from '../../../functions/console/app/search-text.ts';

for (const value of ['1.10', '12345678901234567890', '1e3', 'true', 'null', '"quoted"', '{"a":1}', 'a,b', 'x=y&z', 'ü +%'])
  test(`search: ${value} stays as it is`, () => {
    deepEqual(parseSearch(stringifySearch({ value })), { value });
  });

test('search: what is not given is left out, and other values are text', () => {
  equal(stringifySearch({ at: undefined }), '');
  equal(stringifySearch({ new: true, at: undefined }), '?new=true');
});
