import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';

export const ProjectSettings = z.object({
  backupTimeoutMinutes: z.int(),
  defaultStorageId: z.nullable(z.string()),
  maxReads: z.optional(z.int()),
});

export const Project = z.object({
  id: z.string(),
  name: ShownName,
  sourceProjectId: z.string(),
  databaseId: z.string(),
  labels: z.record(z.string(), z.string()),
  status: z.enum(['connected', 'unauthorized']),
  connection: z.object({
    type: z.enum(['user', 'service_account', 'workload_identity']),
    email: z.string(),
    audience: z.optional(z.string()),
  }),
  settings: ProjectSettings,
  pitr: z.object({ enabled: z.boolean(), retentionDays: z.optional(z.int()), captureIntervalSeconds: z.optional(z.int()) }),
  lastBackupAt: z.nullable(Moment),
  createdAt: Moment,
  updatedAt: Moment,
});
