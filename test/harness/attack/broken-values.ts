/** Values that are nearly what was asked for: one thing in them is changed into something else. */
import fc, { type Arbitrary } from 'fast-check';
import { oddUnits } from './arbitrary-values.ts';

/** Fields that a record has and a caller must not choose. */
export const privileged = [
  'id',
  'organizationId',
  'ownerId',
  'userId',
  'role',
  'status',
  'createdBy',
  'createdAt',
  'deletedAt',
  'permissions',
  'plan',
  'pk',
  'sk',
  'ttl',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
];

type Path = readonly (string | number)[];

/** Every place within a value, its own first. */
export const placesIn = (value: unknown, at: Path = []): readonly Path[] => {
  if (value === null || typeof value !== 'object') return [at];
  const inner = Array.isArray(value) ? value.map((one, n) => [n, one] as const) : Object.entries(value);
  return [at, ...inner.flatMap(([name, one]) => placesIn(one, [...at, name]))];
};

/** The value with another one in that place; `absent` takes it away. */
export const withAt = (value: unknown, [name, ...rest]: Path, put: unknown): unknown => {
  if (name === undefined) return put;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = rest.length === 0 ? put : withAt((value as Record<string, unknown>)[name as string], rest, put);
  if (inner === absent) Reflect.deleteProperty(copy, name);
  // Not an assignment, which would make a prototype of what is called __proto__.
  else Object.defineProperty(copy, name, { value: inner, enumerable: true, configurable: true, writable: true });
  return copy;
};

export const absent = Symbol('absent');

const deep = (levels: number): unknown => (levels === 0 ? null : [deep(levels - 1)]);

/** What no field asks for. */
export const odd: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    absent,
    null,
    '',
    ' ',
    true,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    [],
    {},
    [null],
    { x: 1 },
    'null',
    '*',
    '..',
    '../..',
  ),
  fc.constantFrom(...oddUnits).map((unit) => `a${unit}b`),
  fc.constantFrom(
    'x'.repeat(20_000),
    Array.from({ length: 20_000 }, () => 'x'),
    deep(500),
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('bkp_', 'prj_00000000000000000000000000', 'org_01JZ8Q4V0M6T3X9C2B7N5K1HRd', "' OR 1=1", '=1+1', '{{7*7}}'),
);

/** The values with one place changed, or with a field more. */
export const broken = (values: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.tuple(values, fc.nat(), odd, fc.option(fc.constantFrom(...privileged), { freq: 3 })).map(([value, n, put, field]) => {
    const places = placesIn(value);
    const at = places[n % places.length] ?? [];
    const changed = field === null ? withAt(value, at, put) : withAt(value, [field], put);
    return changed === absent ? undefined : changed;
  });
