import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import * as z from 'zod/mini';
import type { ApiError, ErrorDetails } from '../../../shared/contract/errors.ts';
import { bodyMaxValues } from '../../../shared/contract/limits.ts';
import { validate, validateAll } from '../../../shared/http/validate.ts';

const Body = z.strictObject({
  name: z.string().check(z.minLength(2, 'must be longer')),
  role: z._default(z.enum(['viewer', 'admin']), 'viewer'),
  permissions: z._default(z.array(z.enum(['a:read', 'b:read'])), []),
  settings: z.optional(z.strictObject({ zone: z.optional(z.string()) })),
});

const detailsOf = (input: unknown, schema: z.ZodMiniType = Body): ErrorDetails => {
  let details: ErrorDetails | undefined;
  throws(
    () => validate(schema, input, 'body'),
    (error: ApiError) => {
      equal(error.code, 'VALIDATION_ERROR');
      details = error.details;
      return true;
    },
  );
  return details!;
};

test('validate: valid input is returned with its defaults', () => {
  deepEqual(validate(Body, { name: 'ab' }, 'body'), { name: 'ab', role: 'viewer', permissions: [] });
});

for (const [what, input, field, reason] of [
  ['a missing field', {}, 'name', 'is required'],
  ['a field of another type', { name: 1 }, 'name', 'expected string, received number'],
  ['null', { name: null }, 'name', 'expected string, received null'],
  ['a rule of our own', { name: 'a' }, 'name', 'must be longer'],
  ['something that is no object', [], 'body', 'expected object, received array'],
  ['a nested field', { name: 'ab', settings: { zone: 1 } }, 'settings.zone', 'expected string, received number'],
] as const)
  test(`validate: ${what} is reported with field and reason`, () => {
    const details = detailsOf(input);
    equal(details.field, field);
    equal(details.reason, reason);
  });

// A mistyped name explains why the right one is missing.
test('validate: an unknown field is reported first, also a nested one', () => {
  const { errors: _errors, ...first } = detailsOf({ nmae: 'ab', x: 1 });
  deepEqual(first, { field: 'nmae', reason: 'is not a known field', unknownFields: ['nmae', 'x'] });
  equal(detailsOf({ name: 'ab', settings: { zoen: 'x' } }).field, 'settings.zoen');
  equal(detailsOf(JSON.parse('{"name":"ab","__proto__":{"role":"admin"}}')).field, '__proto__');
});

test('validate: an invalid value of an enumeration is reported with the allowed ones', () => {
  const { errors, ...first } = detailsOf({ name: 'ab', role: 'OWNER' });
  deepEqual(errors, [first]);
  deepEqual(first, {
    field: 'role',
    reason: 'must be one of viewer, admin',
    invalidValues: ['OWNER'],
    allowedValues: ['viewer', 'admin'],
  });
});

test('validate: all invalid values of an array of enumerated values are listed', () => {
  const details = detailsOf({ name: 'ab', permissions: ['a:read', 'x', '*'] });
  equal(details.field, 'permissions');
  deepEqual(details.invalidValues, ['x', '*']);
});

// Comparing each with all others would take minutes.
test('validate: of very many invalid values the first are listed', () => {
  const details = detailsOf({ name: 'ab', permissions: Array.from({ length: bodyMaxValues }, (_, n) => `x${n}`) });
  equal((details.errors as ErrorDetails[]).length, 1);
  deepEqual(
    details.invalidValues,
    Array.from({ length: 20 }, (_, n) => `x${n}`),
  );
});

test('validate: an invalid value within an array of objects is reported with its place, also in a short form', () => {
  const Rules = z.array(z.strictObject({ mode: z.enum(['a', 'b']), size: z.optional(z.int()) }));
  const Long = z.pipe(
    z.transform((given) => (Array.isArray(given) ? { rules: given } : given)),
    z.strictObject({ rules: Rules }),
  );
  const details = detailsOf([{ mode: 'a' }, { mode: 'x', size: 'large' }], Long);
  deepEqual([details.field, details.invalidValues], ['rules.1.mode', ['x']]);
  deepEqual(
    (details.errors as ErrorDetails[]).map(({ field, reason }) => [field, reason]),
    [
      ['rules.1.mode', 'must be one of a, b'],
      ['rules.1.size', 'expected number, received string'],
    ],
  );
});

test('validate: a value of the caller is truncated, and a structure is shown as its type', () => {
  deepEqual(detailsOf({ name: 'ab', role: 'x'.repeat(1_000) }).invalidValues, ['x'.repeat(100)]);
  deepEqual(detailsOf({ name: 'ab', role: { deep: 'secret' } }).invalidValues, ['object']);
  ok(String(detailsOf({ ['k'.repeat(10_000)]: 1 }).field).length <= 200);
});

test('validate: all problems are listed, unknown fields first, and the first one is also in details itself', () => {
  const details = detailsOf({ nmae: 'ab', extra: 1, role: 'owner', permissions: ['x', 'a:read', 'y'], settings: { zone: 1 } });
  deepEqual(
    (details.errors as ErrorDetails[]).map(({ field, reason }) => [field, reason]),
    [
      ['nmae', 'is not a known field'],
      ['extra', 'is not a known field'],
      ['name', 'is required'],
      ['role', 'must be one of viewer, admin'],
      ['permissions', 'must be one of a:read, b:read'],
      ['settings.zone', 'expected string, received number'],
    ],
  );
  const { errors, ...first } = details;
  deepEqual((errors as ErrorDetails[])[0], first);
  deepEqual((errors as ErrorDetails[])[4]?.invalidValues, ['x', 'y']);
});

test('validate: at most 100 problems are listed', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field${n}`, n]));
  equal((detailsOf({ name: 'ab', ...many }).errors as unknown[]).length, 100);
});

test('validateAll: problems of query and body are in one error', () => {
  throws(
    () =>
      validateAll(
        { schema: z.strictObject({}), input: { typo: '1' }, whole: 'query' },
        { schema: Body, input: { name: 'a' }, whole: 'body' },
      ),
    (error: ApiError) => {
      deepEqual(
        (error.details as { errors: ErrorDetails[] }).errors.map(({ field }) => field),
        ['typo', 'name'],
      );
      return true;
    },
  );
});
