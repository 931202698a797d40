import type * as z from 'zod/mini';
import type { Erasure, ErasurePreview } from '../../models/erasure.ts';
import { backup } from './job-examples.ts';

export const erasureExample: z.output<typeof Erasure> = {
  id: `era_${backup.id.slice('bkp_'.length)}`,
  projectId: backup.projectId,
  pathCount: 1,
  query: null,
  includeSubcollections: true,
  reason: 'Request of 2025-01-31, ticket 4711',
  status: 'active',
  documentsFound: 3,
  copies: 'stored',
  lastHeldBackupId: backup.id,
  expiredAt: null,
  createdBy: backup.createdBy,
  createdAt: backup.createdAt,
};

export const erasurePreviewExample: ErasurePreview = {
  backupId: backup.id,
  readTime: backup.readTime,
  documents: 3,
  paths: ['users/ada', 'users/ada/orders/1', 'users/ada/orders/2'],
  complete: true,
};
