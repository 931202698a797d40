import type * as z from 'zod';

/** Descriptions of some fields of an object schema. */
export type FieldTexts = readonly [schema: z.ZodObject, texts: Readonly<Record<string, string | undefined>>];

/** Does not compile if the schema lacks a field. */
export const fieldTexts = <T extends z.ZodObject>(
  schema: T,
  texts: { readonly [K in keyof T['shape'] & string]?: string },
): FieldTexts => [schema, texts];
