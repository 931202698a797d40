/** What a search means, and what it is refused for. */
import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { parseQuery } from '../../../../shared/document/search/parse-query.ts';

const compare = (field: string, comparison: string, value: object) => ({
  kind: 'compare',
  field: field.split('/'),
  comparison,
  value,
});

test('search query: a path, an id and the addresses of the consoles name a document', () => {
  deepEqual(parseQuery(' users/ada '), { kind: 'path', path: 'users/ada' });
  deepEqual(parseQuery('ada'), { kind: 'id', id: 'ada' });
  deepEqual(parseQuery('ada-1.b'), { kind: 'id', id: 'ada-1.b' });
  deepEqual(parseQuery('projects/p/databases/(default)/documents/users/ada'), {
    kind: 'path',
    path: 'users/ada',
    database: { sourceProjectId: 'p', databaseId: '(default)' },
  });
  const address = 'https://console.cloud.google.com/firestore/databases/-default-/data/panel/orders/7?project=shop';
  deepEqual(parseQuery(address), {
    kind: 'path',
    path: 'orders/7',
    database: { sourceProjectId: 'shop', databaseId: '(default)' },
  });
});

test('search query: values have the type in which they are written', () => {
  const cases: Readonly<Record<string, object>> = {
    'email == "ada@example.com"': compare('email', '==', { stringValue: 'ada@example.com' }),
    'email="a \\"b\\" \\u00e9"': compare('email', '==', { stringValue: 'a "b" é' }),
    'profile.email != ""': compare('profile/email', '!=', { stringValue: '' }),
    'total > 100': compare('total', '>', { integerValue: '100' }),
    'total <= -1.5e3': compare('total', '<=', { doubleValue: -1500 }),
    'big >= 9223372036854775807': compare('big', '>=', { integerValue: '9223372036854775807' }),
    'paid == TRUE': compare('paid', '==', { booleanValue: true }),
    'gone != null': compare('gone', '!=', { nullValue: null }),
    'at < 2026-01-31': compare('at', '<', { timestampValue: '2026-01-31T00:00:00Z' }),
    'at >= 2026-01-31T08:00:00.5Z': compare('at', '>=', { timestampValue: '2026-01-31T08:00:00.5Z' }),
    'owner == users/ada': compare('owner', '==', { referenceValue: 'users/ada' }),
    '`a.b c`.d == 1': compare('a.b c/d', '==', { integerValue: '1' }),
    'tags contains "vip"': { kind: 'contains', field: ['tags'], value: { stringValue: 'vip' } },
    'sizes CONTAINS 5': { kind: 'contains', field: ['sizes'], value: { integerValue: '5' } },
    'phone exists': { kind: 'exists', field: ['phone'] },
    '"Ada Lovelace"': { kind: 'text', text: 'Ada Lovelace' },
  };
  for (const [q, condition] of Object.entries(cases)) deepEqual(parseQuery(q), { kind: 'values', conditions: [condition] }, q);
});

test('search query: conditions are joined by and, also in text that has the word', () => {
  deepEqual(parseQuery('a == "x and y" AND b > 1 and "z"'), {
    kind: 'values',
    conditions: [
      compare('a', '==', { stringValue: 'x and y' }),
      compare('b', '>', { integerValue: '1' }),
      { kind: 'text', text: 'z' },
    ],
  });
});

test('search query: what cannot be meant is refused with a sentence that says what is expected', () => {
  const cases: Readonly<Record<string, RegExp>> = {
    'users/ada/orders': /must be the path or the id of a document/,
    'email == ada': /has the value ada: put text in double quotes/,
    'email == "ada': /cannot be read from "\\"ada" on/,
    'email ==': /needs one value after email ==/,
    'email == "a" "b"': /conditions are joined by "and"/,
    'email like "a"': /has "like" after email; use ==, !=/,
    '"email" == "a"': /needs the path of a field/,
    'a..b == 1': /needs the path of a field/,
    'a == 1 and': /"and" without a condition on both sides/,
    'a == 1 or b == 2': /cannot have "or"; search twice/,
    'a > null': /compares a with null, which has no order/,
    'a > true': /which has no order/,
    'a == 2026-13-41': /has the date 2026-13-41/,
    'a == "\\x"': /not escaped as in JSON/,
    '""': /has no condition for ""/,
    [Array.from({ length: 11 }, (_, n) => `a == ${n}`).join(' and ')]: /at most 10 conditions/,
  };
  for (const [q, message] of Object.entries(cases))
    throws(
      () => parseQuery(q),
      (error) =>
        error instanceof ApiError &&
        error.code === 'VALIDATION_ERROR' &&
        error.details?.field === 'q' &&
        message.test(error.message),
      q,
    );
});
