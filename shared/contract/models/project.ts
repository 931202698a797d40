import * as z from 'zod';
import { Moment } from '../fields.ts';

export const ProjectSettings = z.object({
  backupTimeoutMinutes: z.int(),
  defaultStorageId: z.string().nullable(),
  maxReads: z.int().optional(),
});

export const Project = z.object({
  id: z.string(),
  name: z.string(),
  sourceProjectId: z.string(),
  databaseId: z.string(),
  status: z.enum(['connected', 'unauthorized']),
  connection: z.object({
    type: z.enum(['user', 'service_account', 'workload_identity']),
    email: z.string(),
    audience: z.string().optional(),
  }),
  settings: ProjectSettings,
  pitr: z.object({ enabled: z.boolean(), retentionDays: z.int().optional(), captureIntervalSeconds: z.int().optional() }),
  lastBackupAt: Moment.nullable(),
  createdAt: Moment,
  updatedAt: Moment,
});
