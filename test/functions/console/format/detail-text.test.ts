import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { detailText } from '../../../../functions/console/app/format/detail-text.ts';

test('detailText: values, lists and objects are read without braces and quotes', () => {
  for (const [value, text] of [
    ['Shop', 'Shop'],
    [30, '30'],
    [false, 'false'],
    [null, 'null'],
    [['users', 'orders'], 'users, orders'],
    [{ type: 'user', email: 'ada@example.com', name: null }, 'type user, email ada@example.com'],
    [{ daily: 7, kept: ['a', 'b'] }, 'daily 7, kept (a, b)'],
    [[{ id: 'a', n: 1 }, { id: 'b' }], '(id a, n 1), id b'],
    [{}, ''],
  ] as const)
    equal(detailText(value), text);
});
