import type * as z from 'zod/mini';

/** Descriptions of some fields of an object schema. */
export type FieldTexts = readonly [schema: z.ZodMiniObject, texts: Readonly<Record<string, string | undefined>>];

/** Does not compile if the schema lacks a field. */
export const fieldTexts = <T extends z.ZodMiniObject>(
  schema: T,
  texts: { readonly [K in keyof T['shape'] & string]?: string },
): FieldTexts => [schema, texts];
