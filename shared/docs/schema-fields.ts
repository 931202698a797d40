import type { Schema } from '../contract/openapi/json-schema.ts';
import type { Resolve } from './sample.ts';

export interface Field {
  readonly name: string;
  /** Within the body: `settings.collections[].name`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** One of several shapes of the value, named by its type. */
  readonly isVariant?: true;
  readonly description: string | undefined;
  /** Allowed values, if they are enumerated. */
  readonly values: readonly string[];
  /** Bounds and default, each in words. */
  readonly bounds: readonly string[];
  readonly children: readonly Field[];
}

/** Deeper fields than these repeat themselves. */
const depthMax = 8;

/** The fields of an object, those of an array's elements, or one entry for each shape that the value may have. */
export const schemaFields = (
  given: Schema,
  {
    resolve,
    prefix = '',
    depth = 0,
  }: { readonly resolve: Resolve; readonly prefix?: string | undefined; readonly depth?: number | undefined },
): readonly Field[] => {
  const schema = resolved(given, resolve);
  if (depth > depthMax) return [];
  if (schema.type === 'array' && schema.items)
    return schemaFields(schema.items as Schema, { resolve, prefix: `${prefix}[]`, depth: depth + 1 });
  const variants = variantsOf(schema, resolve);
  if (variants.length > 1)
    return variants.map((variant) => ({
      name: typeText(variant),
      path: `${prefix}(${typeText(variant)})`,
      type: 'object',
      isRequired: true,
      isVariant: true,
      description: textOf(resolved(variant, resolve).description),
      values: [],
      bounds: [],
      children: schemaFields(variant, { resolve, prefix, depth: depth + 1 }),
    }));
  const [only] = variants;
  if (only) return schemaFields(only, { resolve, prefix, depth: depth + 1 });
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: readonly string[] };
  return Object.entries(properties).map(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return {
      name,
      path,
      isRequired: required.includes(name),
      ...factsOf(inner, resolve),
      children: schemaFields(inner, { resolve, prefix: path, depth: depth + 1 }),
    };
  });
};

/** What a single value allows: its type, its description and its bounds. */
export const factsOf = (given: Schema, resolve: Resolve): Pick<Field, 'type' | 'description' | 'values' | 'bounds'> => {
  const schema = resolved(given, resolve);
  const inner = (schema.items as Schema | undefined) ?? schema;
  const values = (inner.enum as readonly unknown[] | undefined) ?? (inner.const === undefined ? [] : [inner.const]);
  return {
    type: typeText(given),
    description: textOf(given.description ?? schema.description),
    values: values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
    bounds: boundsOf(schema),
  };
};

const resolved = (schema: Schema, resolve: Resolve): Schema => (typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The shapes of a union that have fields; null and plain values have none. */
const variantsOf = (schema: Schema, resolve: Resolve): readonly Schema[] =>
  ((schema.anyOf ?? schema.oneOf ?? []) as readonly Schema[]).filter((variant) => {
    const { type, properties, anyOf } = resolved(variant, resolve);
    return type === 'object' ? properties !== undefined : anyOf !== undefined;
  });

/** The type of a value in a few words. */
const typeText = (schema: Schema): string => {
  const { type, anyOf, oneOf, $ref, format, items } = schema as Readonly<Record<string, string | readonly string[] | undefined>>;
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? '';
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) return [...new Set((union as unknown as readonly Schema[]).map(typeText))].join(' or ');
  if (type === 'array' && items) return `array of ${typeText(items as unknown as Schema)}`;
  if (Array.isArray(type)) return type.join(' or ');
  return [type, format].filter(Boolean).join(', ') || 'any';
};

const counted = (value: unknown, one: string, many: string): string => `${value} ${value === 1 ? one : many}`;

const boundsOf = (schema: Schema): readonly string[] =>
  [
    schema.minLength !== undefined && `at least ${counted(schema.minLength, 'character', 'characters')}`,
    schema.maxLength !== undefined && `at most ${counted(schema.maxLength, 'character', 'characters')}`,
    schema.minItems !== undefined && `at least ${counted(schema.minItems, 'entry', 'entries')}`,
    schema.maxItems !== undefined && `at most ${counted(schema.maxItems, 'entry', 'entries')}`,
    schema.minimum !== undefined && `from ${schema.minimum}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter((bound) => bound !== false);
