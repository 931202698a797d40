/** What a search of a backup found. */
import * as z from 'zod/mini';
import { BackupEntry } from './backup.ts';

/** A document is searched for by its path, by its id, or by the values of its fields. */
const searchKinds = ['path', 'id', 'values'] as const;

export const FoundDocuments = z.object({
  backupId: z.string(),
  projectId: z.string(),
  readTime: z.nullable(z.string()),
  kind: z.enum(searchKinds),
  /** Of the whole search. With `parts` calls at once it takes a part of `seconds`. */
  plan: z.object({
    documents: z.int(),
    bytes: z.int(),
    parts: z.int(),
    seconds: z.number(),
    estimatedUsd: z.number(),
    total: z.int(),
    indexed: z.boolean(),
    fields: z.array(z.object({ path: z.string(), named: z.boolean() })),
  }),
  matches: z.array(BackupEntry),
  /** By this call. */
  scanned: z.object({ documents: z.int(), bytes: z.int() }),
});
