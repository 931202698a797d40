/** The resources of the Admin API for indexes and fields, as clients send them. */
import * as z from 'zod/mini';
import { RpcError } from '../base/types.ts';
import { isZodError } from '../base/zod-error.ts';

const Scope = z._default(z.enum(['COLLECTION', 'COLLECTION_GROUP']), 'COLLECTION');
const dimensionMax = 2_048;

const IndexedField = z.object({
  fieldPath: z._default(z.string(), ''),
  order: z.optional(z.enum(['ASCENDING', 'DESCENDING'])),
  arrayConfig: z.optional(z.literal('CONTAINS')),
  vectorConfig: z.optional(
    z.object({
      dimension: z.coerce.number().check(z.int(), z.minimum(1), z.maximum(dimensionMax)),
      flat: z._default(z.object({}), {}),
    }),
  ),
});
export type IndexedField = z.output<typeof IndexedField>;

/** `indexes.create` of the Admin API. */
export const NewIndex = z.object({
  queryScope: Scope,
  apiScope: z._default(z.enum(['ANY_API']), 'ANY_API'),
  fields: z.array(IndexedField).check(z.minLength(1), z.maxLength(100)),
});
export type NewIndex = z.output<typeof NewIndex>;

/** `fields.patch` of the Admin API. Absent parts, unlike empty ones, may be left out of the update mask. */
export const FieldChange = z.object({
  indexConfig: z.optional(
    z.object({ indexes: z.optional(z.array(z.object({ queryScope: Scope, fields: z.array(IndexedField) }))) }),
  ),
  ttlConfig: z.optional(z.object({})),
});
export type FieldChange = z.output<typeof FieldChange>;

/** Parses a body; throws INVALID_ARGUMENT for what the service would not take. */
export const parseResource = <T>(schema: z.ZodMiniType<T>, body: unknown): T => {
  try {
    return schema.parse(body);
  } catch (error) {
    if (isZodError(error)) throw new RpcError('INVALID_ARGUMENT', z.prettifyError(error).replaceAll(/\s+/g, ' '));
    throw error;
  }
};
