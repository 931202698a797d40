import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { omitUndefined } from '../../../shared/platform/index.ts';

test('omitUndefined: only undefined properties are omitted, and the original stays unchanged', () => {
  const object = { a: undefined, b: null, c: 0, d: '', e: false, f: { g: undefined } };
  deepEqual(omitUndefined(object), { b: null, c: 0, d: '', e: false, f: { g: undefined } });
  deepEqual(Object.keys(object).length, 6);
  deepEqual(omitUndefined({}), {});
});
