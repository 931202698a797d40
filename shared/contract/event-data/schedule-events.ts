import * as z from 'zod/mini';
import { Moment } from '../fields.ts';
import { Schedule, scheduleFailures } from '../models/schedule.ts';
import { error } from './event-error.ts';
import { organization } from './fields.ts';

/** Schedules as in the API; `cronExpression` equals `cron`. */
const schedule = z.extend(Schedule, { cronExpression: z.string(), projectName: z.string() });
const scheduled = z.object({ organization, schedule });

export const scheduleEvents = {
  'schedule.created': scheduled,
  'schedule.updated': scheduled,
  'schedule.deleted': scheduled,
  'schedule.triggered': z.extend(scheduled, { backupId: z.string(), trigger: z.enum(['scheduled', 'manual']) }),
  'schedule.failed': z.extend(scheduled, {
    reason: z.enum(scheduleFailures),
    scheduledFor: z.nullable(Moment),
    backupId: z.nullable(z.string()),
    error,
  }),
};
