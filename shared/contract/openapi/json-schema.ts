/** Zod schemas as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
import * as z from 'zod/mini';
import { listShorthand } from '../models/transform.ts';
import { descriptionOf } from './descriptions.ts';
import { componentNameOf } from './named-schemas.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** Schema of a request. */
export const inputSchema = (schema: z.ZodMiniType): Schema => inline(schema, 'input');

/** Schema of a response. It allows further fields, because a later version may add some. */
export const outputSchema = (schema: z.ZodMiniType): Schema => inline(schema, 'output');

/** The component of a named schema; the schema itself of any other. */
export const referTo = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema => {
  const { $defs: _components, ...root } = convert(schema, io);
  return root;
};

/** The schema itself, also of a named one. Named schemas in it are references to their components. */
const inline = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema => {
  const { $defs = {}, $ref, ...root } = convert(schema, io) as Converted;
  return $ref === undefined ? root : ($defs[$ref.replace(prefix, '')] ?? {});
};

interface Converted extends Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const prefix = '#/components/schemas/';

const convert = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    metadata: registry,
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodMiniObject) jsonSchema[fieldTexts] = textsOf(zodSchema);
      // The format is enough; its pattern has 300 characters.
      if (jsonSchema.format) delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      delete jsonSchema.propertyNames;
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return describeFields(rest) as Schema;
};

/** Zod's own registry, with the names of components as ids. */
const registry = {
  get: (schema: z.core.$ZodType) => {
    const [meta, id] = [z.globalRegistry.get(schema), componentNameOf(schema)];
    return id === undefined ? meta : { ...meta, id };
  },
} as unknown as typeof z.globalRegistry;

/** The object, or the list alone that is short for it. Generators do not read a schema with both types. */
const withList = ({ [listShorthand]: name, ...object }: { readonly [listShorthand]?: unknown }): Schema => {
  const { properties = {} } = object as { readonly properties?: Readonly<Record<string, Schema>> };
  return { anyOf: [object, properties[String(name)]] };
};

/** Fields with the same schema share one object during the conversion, so descriptions are added to its result. */
const fieldTexts = 'x-field-texts';

const textsOf = ({ shape }: z.ZodMiniObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(shape)
      .flatMap(([name, field]) => [[name, descriptionOf(field, name)]])
      .filter(([, text]) => text),
  );

const describeFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(describeFields);
  if (typeof value === 'object' && value !== null && listShorthand in value) return describeFields(withList(value));
  if (typeof value === 'string') return value.replace(/^#\/\$defs\//, prefix);
  if (typeof value !== 'object' || value === null) return value;
  const { [fieldTexts]: texts, ...rest } = value as { readonly [fieldTexts]?: Readonly<Record<string, string>> };
  const described = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, describeFields(inner)]));
  if (!texts) return described;
  const properties = Object.entries(described.properties as Readonly<Record<string, Schema>>);
  return {
    ...described,
    properties: Object.fromEntries(
      properties.map(([name, field]) => [name, { ...field, ...(texts[name] && { description: texts[name] }) }]),
    ),
  };
};
