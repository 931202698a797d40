import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import * as z from 'zod';
import type { ApiError, ErrorDetails } from '../../../shared/contract/errors.ts';
import { validate } from '../../../shared/http/validate.ts';

const Body = z.strictObject({
  name: z.string().min(2, 'must be longer'),
  role: z.enum(['viewer', 'admin']).default('viewer'),
  permissions: z.array(z.enum(['a:read', 'b:read'])).default([]),
  settings: z.strictObject({ zone: z.string().optional() }).optional(),
});

const detailsOf = (input: unknown, schema: z.ZodType = Body): ErrorDetails => {
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
  deepEqual(detailsOf({ nmae: 'ab', x: 1 }), { field: 'nmae', reason: 'is not a known field', unknownFields: ['nmae', 'x'] });
  equal(detailsOf({ name: 'ab', settings: { zoen: 'x' } }).field, 'settings.zoen');
  equal(detailsOf(JSON.parse('{"name":"ab","__proto__":{"role":"admin"}}')).field, '__proto__');
});

test('validate: an invalid value of an enumeration is reported with the allowed ones', () => {
  deepEqual(detailsOf({ name: 'ab', role: 'OWNER' }), {
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

test('validate: a value of the caller is truncated, and a structure is shown as its type', () => {
  deepEqual(detailsOf({ name: 'ab', role: 'x'.repeat(1_000) }).invalidValues, ['x'.repeat(100)]);
  deepEqual(detailsOf({ name: 'ab', role: { deep: 'secret' } }).invalidValues, ['object']);
  ok(String(detailsOf({ ['k'.repeat(10_000)]: 1 }).field).length <= 200);
});
