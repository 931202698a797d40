/** `data` of events in the simple (legacy) format; durations are in seconds. */
import * as z from 'zod';
import { Moment } from '../fields.ts';
import { Backup } from '../models/backup.ts';
import { RestoreJob } from '../models/restore.ts';
import { Schedule } from '../models/schedule.ts';
import type { SimpleEventName } from './event-names.ts';

const job = z.object({
  backupId: z.string(),
  projectId: z.string(),
  projectName: z.string(),
  type: Backup.shape.type,
  status: Backup.shape.status,
});
const origin = z.object({ triggeredBy: Backup.shape.trigger, scheduleId: z.string().nullable(), createdAt: Moment });

const backup = z.object({
  ...job.shape,
  documentsCount: z.int(),
  collectionsCount: z.int(),
  originalSize: z.int(),
  compressedSize: z.int(),
  duration: z.int().nullable(),
  ...origin.shape,
  completedAt: Moment.nullable(),
});
const failedBackup = z.object({ ...job.shape, error: z.string(), ...origin.shape, failedAt: Moment.nullable() });
const restore = z.object({
  ...RestoreJob.pick({ restoreJobId: true, backupId: true, projectId: true }).shape,
  projectName: z.string(),
  targetProjectId: z.string(),
  targetProjectName: z.string(),
  ...RestoreJob.pick({ status: true, documentsRestored: true, collectionsRestored: true, mergeMode: true }).shape,
  ...RestoreJob.pick({ duration: true, createdAt: true, completedAt: true }).shape,
});
const schedule = z.object({
  scheduleId: z.string(),
  name: z.string(),
  projectId: z.string(),
  projectName: z.string(),
  cronExpression: z.string(),
  ...Schedule.pick({ timezone: true, enabled: true, nextRunAt: true, createdBy: true }).shape,
});

export const simpleEvents = {
  'backup.started': backup,
  'backup.completed': backup,
  'backup.failed': failedBackup,
  'restore.started': restore,
  'restore.completed': restore,
  'restore.failed': restore,
  'schedule.created': schedule,
  'schedule.updated': schedule,
  'schedule.deleted': schedule,
} as const satisfies Readonly<Record<SimpleEventName, z.ZodType>>;

export type SimpleData<N extends SimpleEventName> = z.input<(typeof simpleEvents)[N]>;
