/** Zod schemas as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
import * as z from 'zod';

export type Schema = Readonly<Record<string, unknown>>;

/** What a caller may send. */
export const inputSchema = (schema: z.ZodType): Schema => plain(schema, 'input');

/** What an answer holds. It does not forbid further fields: a later version may add some. */
export const outputSchema = (schema: z.ZodType): Schema => plain(schema, 'output');

const plain = (schema: z.ZodType, io: 'input' | 'output'): Schema => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // A format says it; its pattern is 300 characters that help nobody.
      if (jsonSchema.format) delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      delete jsonSchema.propertyNames;
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return rest;
};
