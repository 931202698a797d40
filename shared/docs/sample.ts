import type { Schema } from '../contract/openapi/json-schema.ts';

export type Resolve = (ref: string) => Schema;

/** An example value of a schema. */
export const sampleOf = (schema: Schema, resolve: Resolve): unknown => {
  const { $ref, oneOf, anyOf = oneOf, type, properties, items, format } = schema as Readonly<Record<string, unknown>>;
  if (typeof $ref === 'string') return sampleOf(resolve($ref), resolve);
  const [example] = (schema.examples as readonly unknown[] | undefined) ?? (schema.enum as readonly unknown[] | undefined) ?? [];
  const given = schema.const ?? schema.default ?? example;
  if (given !== undefined) return given;
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0] as Schema, resolve);
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === 'object') {
    const fields = Object.entries((properties as Record<string, Schema> | undefined) ?? {});
    return Object.fromEntries(fields.map(([name, inner]) => [name, sampleOf(inner, resolve)]));
  }
  if (kind === 'array') return [sampleOf((items as Schema | undefined) ?? {}, resolve)];
  return scalars[String(format)] ?? scalars[String(kind)] ?? '…';
};

const scalars: Readonly<Record<string, unknown>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://app.example.com/callback',
  integer: 1,
  number: 1,
  boolean: true,
};
