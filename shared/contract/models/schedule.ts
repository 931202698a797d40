/** What a schedule is, to whoever looks at it. */
import * as z from 'zod';
import { Moment } from '../fields.ts';
import { backupTypes } from './backup.ts';

/** How many backups are kept: the last of each of so many days, ISO weeks, months and years in which there is one. */
export const RetentionPolicy = z.object({ daily: z.int(), weekly: z.int(), monthly: z.int(), yearly: z.int() });

/** Why a scheduled backup is missing: its time passed, it could not be made, or none has succeeded for two periods. */
export const scheduleFailures = ['missed', 'failed', 'overdue'] as const;

export const Schedule = z.object({
  id: z.string(),
  name: z.string(),
  projectId: z.string(),
  cron: z.string(),
  timezone: z.string(),
  type: z.enum(backupTypes),
  enabled: z.boolean(),
  retention: z.int().nullable(),
  retentionPolicy: RetentionPolicy.nullable(),
  collections: z.array(z.string()),
  excludeCollections: z.array(z.string()),
  includeAuthUsers: z.boolean(),
  storageDestinationId: z.string().nullable(),
  nextRunAt: Moment.nullable(),
  lastRunAt: Moment.nullable(),
  lastBackupId: z.string().nullable(),
  lastSuccessAt: Moment.nullable(),
  failing: z.object({ since: Moment, reason: z.enum(scheduleFailures), code: z.string(), message: z.string() }).nullable(),
  createdBy: z.object({ id: z.string(), email: z.string().nullable() }),
  createdAt: Moment,
  updatedAt: Moment,
});
