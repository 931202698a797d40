/** Which fields of a search could have filters. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { comparedFields } from '../../../../shared/document/search/compared-fields.ts';
import { parseQuery } from '../../../../shared/document/search/parse-query.ts';

const fieldsOf = (q: string, searchFields: readonly string[]): readonly (readonly [string, boolean])[] =>
  comparedFields(parseQuery(q), searchFields).map(({ path, named }) => [path, named]);

test('compared fields: those that are compared with ==, once each, and whether the project names them', () => {
  const named = ['email', 'address.city', '`a.b`'];
  deepEqual(fieldsOf('email == "x"', named), [['email', true]]);
  deepEqual(fieldsOf('email = "x" and total == 5 and email == "y"', named), [
    ['email', true],
    ['total', false],
  ]);
  deepEqual(fieldsOf('`address`.city == "Paris" and `a.b` == 1 and a.b == 1', named), [
    ['address.city', true],
    ['`a.b`', true],
    ['a.b', false],
  ]);
  deepEqual(fieldsOf('total > 5 and name contains "x" and email exists and paid != true and "text"', named), []);
  deepEqual(fieldsOf('users/ada', named), []);
  deepEqual(fieldsOf('ada', named), []);
});
