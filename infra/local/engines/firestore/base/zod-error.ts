import type * as z from 'zod/mini';

/** Whether input did not match its schema. The class itself would bring all languages of zod into a bundle: 270 KB. */
export const isZodError = (error: unknown): error is z.core.$ZodError => error instanceof Error && error.name === '$ZodError';
