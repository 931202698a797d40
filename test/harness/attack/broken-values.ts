/** Almost valid values: one part of a valid value is replaced. */
import fc, { type Arbitrary } from 'fast-check';
import { oddUnits } from './arbitrary-values.ts';

/** Fields of records that a caller must not set. */
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

/** All paths within a value; the root is first. */
export const pathsIn = (value: unknown, at: Path = []): readonly Path[] => {
  if (value === null || typeof value !== 'object') return [at];
  const inner = Array.isArray(value) ? value.map((one, n) => [n, one] as const) : Object.entries(value);
  return [at, ...inner.flatMap(([name, one]) => pathsIn(one, [...at, name]))];
};

/** The value with the part at this path replaced; `absent` removes it. */
export const withAt = (value: unknown, [name, ...rest]: Path, put: unknown): unknown => {
  if (name === undefined) return put;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = rest.length === 0 ? put : withAt((value as Record<string, unknown>)[name as string], rest, put);
  if (inner === absent) Reflect.deleteProperty(copy, name);
  // Not an assignment, which would set the prototype for the name __proto__.
  else Object.defineProperty(copy, name, { value: inner, enumerable: true, configurable: true, writable: true });
  return copy;
};

export const absent = Symbol('absent');

const deep = (levels: number): unknown => (levels === 0 ? null : [deep(levels - 1)]);

/** Values that no field accepts. */
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

/** The values with one part replaced, or with an additional field. */
export const broken = (values: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.tuple(values, fc.nat(), odd, fc.option(fc.constantFrom(...privileged), { freq: 3 })).map(([value, n, put, field]) => {
    const paths = pathsIn(value);
    const at = paths[n % paths.length] ?? [];
    const changed = field === null ? withAt(value, at, put) : withAt(value, [field], put);
    return changed === absent ? undefined : changed;
  });
