import * as z from 'zod/mini';

/** A copy of the schema that rejects fields it does not name. */
export const strictCopy = <S extends z.ZodMiniObject>(schema: S) => z.catchall(schema, z.never());
