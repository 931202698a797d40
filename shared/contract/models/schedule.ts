import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';
import { backupSources, backupTypes } from '../job-enums.ts';

/** Keeps the last backup of each of the last n days, ISO weeks, months and years that have one. */
const RetentionPolicy = z.object({ daily: z.int(), weekly: z.int(), monthly: z.int(), yearly: z.int() });

/** A run that is due and starts as soon as it can; `position` 1 is the next one. */
export const ScheduleWait = z.object({ reason: z.literal('capacity'), since: Moment, position: z.int() });

/** missed: not started in time. failed: could not start or did not complete. overdue: no success for two periods. */
export const scheduleFailures = ['missed', 'failed', 'overdue'] as const;

const scheduleOutcomes = ['completed', 'failed', 'missed'] as const;

/** How the last run ended. */
export const ScheduleOutcome = z.object({
  status: z.enum(scheduleOutcomes),
  at: Moment,
  backupId: z.nullable(z.string()),
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
});

export const Schedule = z.object({
  id: z.string(),
  name: ShownName,
  projectId: z.string(),
  cron: z.string(),
  timezone: z.string(),
  type: z.enum(backupTypes),
  enabled: z.boolean(),
  retention: z.nullable(z.int()),
  retentionPolicy: z.nullable(RetentionPolicy),
  collections: z.array(z.string()),
  excludeCollections: z.array(z.string()),
  includeAuthUsers: z.boolean(),
  source: z.enum(backupSources),
  storageDestinationId: z.nullable(z.string()),
  nextRunAt: z.nullable(Moment),
  waitingFor: z.nullable(ScheduleWait),
  lastRunAt: z.nullable(Moment),
  lastBackupId: z.nullable(z.string()),
  lastSuccessAt: z.nullable(Moment),
  lastOutcome: z.nullable(ScheduleOutcome),
  failing: z.nullable(z.object({ since: Moment, reason: z.enum(scheduleFailures), code: z.string(), message: z.string() })),
  warning: z.nullable(
    z.object({
      since: Moment,
      code: z.literal('COLLECTION_NOT_FOUND'),
      message: z.string(),
      unknownCollections: z.array(z.string()),
      backupId: z.string(),
    }),
  ),
  createdBy: z.object({ id: z.string(), email: z.nullable(z.string()) }),
  createdAt: Moment,
  updatedAt: Moment,
});
