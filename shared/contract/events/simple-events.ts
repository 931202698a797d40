/** `data` of events in the simple (legacy) format; durations are in seconds. */
import * as z from 'zod/mini';
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
const origin = z.object({ triggeredBy: Backup.shape.trigger, scheduleId: z.nullable(z.string()), createdAt: Moment });

const backup = z.object({
  ...job.shape,
  documentsCount: z.int(),
  collectionsCount: z.int(),
  originalSize: z.int(),
  compressedSize: z.int(),
  duration: z.nullable(z.int()),
  ...origin.shape,
  completedAt: z.nullable(Moment),
});
const failedBackup = z.object({ ...job.shape, error: z.string(), ...origin.shape, failedAt: z.nullable(Moment) });
const restore = z.object({
  ...z.pick(RestoreJob, { restoreJobId: true, backupId: true, projectId: true }).shape,
  projectName: z.string(),
  targetProjectId: z.string(),
  targetProjectName: z.string(),
  ...z.pick(RestoreJob, { status: true, documentsRestored: true, collectionsRestored: true, mergeMode: true }).shape,
  ...z.pick(RestoreJob, { duration: true, createdAt: true, completedAt: true }).shape,
});
const schedule = z.object({
  scheduleId: z.string(),
  name: z.string(),
  projectId: z.string(),
  projectName: z.string(),
  cronExpression: z.string(),
  ...z.pick(Schedule, { timezone: true, enabled: true, nextRunAt: true, createdBy: true }).shape,
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
} as const satisfies Readonly<Record<SimpleEventName, z.ZodMiniType>>;

export type SimpleData<N extends SimpleEventName> = z.input<(typeof simpleEvents)[N]>;
