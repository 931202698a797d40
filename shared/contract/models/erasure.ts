/** Erasures in API responses. Paths and values are personal data: they are accepted, sealed and never returned. */
import * as z from 'zod/mini';
import { Moment } from '../fields.ts';
import { Creator } from './job.ts';

export const erasureStatuses = ['resolving', 'active', 'expired'] as const;
export const copyStates = ['pending', 'stored'] as const;

/** What an erasure would hide in the newest backup. */
export const ErasurePreview = z.object({
  backupId: z.nullable(z.string()),
  readTime: z.nullable(z.string()),
  documents: z.int(),
  paths: z.array(z.string()),
  complete: z.boolean(),
});
export type ErasurePreview = z.output<typeof ErasurePreview>;

export const Erasure = z.object({
  id: z.string(),
  projectId: z.string(),
  pathCount: z.int(),
  query: z.nullable(z.object({ collection: z.nullable(z.string()), field: z.string() })),
  includeSubcollections: z.boolean(),
  reason: z.string(),
  status: z.enum(erasureStatuses),
  documentsFound: z.nullable(z.int()),
  copies: z.enum(copyStates),
  lastHeldBackupId: z.nullable(z.string()),
  expiredAt: z.nullable(Moment),
  createdBy: z.nullable(Creator),
  createdAt: Moment,
});
