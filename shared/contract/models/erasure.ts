/** Erasures in API responses. Paths and values are personal data: they are accepted, sealed and never returned. */
import * as z from 'zod';
import { Moment } from '../fields.ts';
import { Creator } from './backup.ts';

export const erasureStatuses = ['resolving', 'active', 'expired'] as const;
export const copyStates = ['pending', 'stored'] as const;

export const Erasure = z.object({
  id: z.string(),
  projectId: z.string(),
  pathCount: z.int(),
  query: z.object({ collection: z.string().nullable(), field: z.string() }).nullable(),
  includeSubcollections: z.boolean(),
  reason: z.string(),
  status: z.enum(erasureStatuses),
  documentsFound: z.int().nullable(),
  copies: z.enum(copyStates),
  lastHeldBackupId: z.string().nullable(),
  expiredAt: Moment.nullable(),
  createdBy: Creator.nullable(),
  createdAt: Moment,
});
