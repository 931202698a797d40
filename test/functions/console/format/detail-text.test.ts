import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { detailText, detailWords } from '../../../../functions/console/app/format/detail-text.ts';

test('detailText: values, lists and objects are read without braces and quotes', () => {
  for (const [value, text] of [
    ['Shop', 'Shop'],
    [30, '30'],
    [false, 'no'],
    [null, 'null'],
    [['users', 'orders'], 'users, orders'],
    [{ type: 'user', email: 'ada@example.com', name: null }, 'type user, email ada@example.com'],
    [{ daily: 7, kept: ['a', 'b'] }, 'daily 7, kept (a, b)'],
    [[{ id: 'a', n: 1 }, { id: 'b' }], '(id a, n 1), id b'],
    [{}, ''],
  ] as const)
    equal(detailText(value), text);
});

test('detailWords: names of fields become words, ids the names of what they stand for, and moments times; what is empty is left out', () => {
  const details = {
    name: 'Nightly',
    projectId: 'prj_1',
    projectIds: ['prj_1', 'prj_2'],
    allowedAddresses: [],
    expiresAt: '2026-02-03T04:05:06.789Z',
    databaseId: '(default)',
    timezone: 'UTC',
    format: null,
    enabled: true,
  };
  const words = Object.fromEntries(detailWords(details, (id) => (id === 'prj_1' ? 'Shop' : undefined)));
  const { expires, ...others } = words;
  // As the person's language writes it.
  match(expires ?? '', /Feb.*2026/);
  deepEqual(others, {
    name: 'Nightly',
    project: 'Shop',
    projects: 'Shop, prj_2',
    database: '(default)',
    'time zone': 'UTC',
    enabled: 'yes',
  });
});
