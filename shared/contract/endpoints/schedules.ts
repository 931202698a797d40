import * as z from 'zod';
import { CollectionPaths, Collections } from '../collection-path.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { id, Name, noBody, Timezone, text } from '../fields.ts';
import { cronMax, retentionCountMax, retentionDaysMax } from '../limits.ts';
import { Backup, backupTypes } from '../models/backup.ts';
import { Schedule } from '../models/schedule.ts';

const read = { role: 'viewer', scope: 'schedules:read' } as const;
const manage = { role: 'member', scope: 'schedules:write' } as const;

const yesOrNo = z.boolean('must be true or false');
const countRange = `must be a whole number from 0 to ${retentionCountMax}`;
const Count = z.int(countRange).min(0, countRange).max(retentionCountMax, countRange).default(0);
const daysRange = `must be a whole number of days from 1 to ${retentionDaysMax}`;

/** shared/schedule/api/schedule-input.ts validates the expression, the collections and the destination further. */
export const scheduleFields = {
  name: Name,
  // Spaces and tabs around fields, as in crontab(5), are normalized to single spaces.
  cron: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '') : value),
      text(cronMax).meta({ examples: ['0 3 * * *'] }),
    )
    .meta({ type: 'string', examples: ['0 3 * * *'] }),
  timezone: Timezone,
  type: z.enum(backupTypes),
  enabled: yesOrNo,
  retention: z
    .int(daysRange)
    .min(1, daysRange)
    .max(retentionDaysMax, daysRange)
    .nullable()
    .meta({ examples: [30] }),
  retentionPolicy: z
    .strictObject({ daily: Count, weekly: Count, monthly: Count, yearly: Count })
    .refine((counts) => Object.values(counts).some((count) => count > 0), 'must keep at least one backup')
    .nullable()
    .meta({ examples: [null] }),
  collections: Collections,
  excludeCollections: CollectionPaths,
  includeAuthUsers: yesOrNo,
  storageDestinationId: id('storageDestination').nullable(),
};

export const schedules = group('schedules', `${apiPrefix}/schedules`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Create a schedule',
    body: z.strictObject({
      projectId: id('project'),
      ...scheduleFields,
      timezone: scheduleFields.timezone.optional(),
      type: scheduleFields.type.default('full'),
      enabled: scheduleFields.enabled.default(true),
      retention: scheduleFields.retention.optional(),
      retentionPolicy: scheduleFields.retentionPolicy.optional(),
      collections: scheduleFields.collections.default(['*']),
      excludeCollections: scheduleFields.excludeCollections.default([]),
      includeAuthUsers: scheduleFields.includeAuthUsers.default(false),
      storageDestinationId: scheduleFields.storageDestinationId.optional(),
    }),
    data: Schedule,
    status: 201,
    location: `${apiPrefix}/schedules/{id}`,
    audit: 'schedule.created',
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  list: {
    route: 'GET',
    access: read,
    summary: 'List schedules, newest first',
    query: z.strictObject({
      projectId: id('project').optional(),
      enabled: z.enum(['true', 'false'], 'must be true or false').optional(),
    }),
    list: Schedule,
    capabilities: ['table:read'],
  },
  get: {
    route: 'GET /{scheduleId}',
    access: read,
    summary: 'Get a schedule with its next run and the outcome of its last run',
    data: Schedule,
    errors: ['SCHEDULE_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  update: {
    route: 'PATCH /{scheduleId}',
    access: manage,
    summary: 'Update, pause or resume a schedule; only the given fields change, null resets a field',
    body: z.strictObject(z.object(scheduleFields).partial().shape),
    data: Schedule,
    audit: 'schedule.updated',
    errors: ['SCHEDULE_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  remove: {
    route: 'DELETE /{scheduleId}',
    access: manage,
    summary: 'Delete a schedule; its backups are kept',
    audit: 'schedule.deleted',
    errors: ['SCHEDULE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  trigger: {
    route: 'POST /{scheduleId}/trigger',
    access: manage,
    summary: 'Start a backup of the schedule now, even while it is paused; its run times do not change',
    ...noBody,
    data: Backup,
    status: 202,
    location: `${apiPrefix}/backups/{id}`,
    audit: 'schedule.triggered',
    errors: ['SCHEDULE_NOT_FOUND', 'PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    capabilities: ['table:write', 'data-key:name'],
  },
});
