import * as z from 'zod/mini';
import { CollectionPaths, Collections } from '../collection-path.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { id, Name, noBody, Timezone, text } from '../fields.ts';
import { backupSources, backupTypes } from '../job-enums.ts';
import { cronMax, retentionCountMax, retentionDaysMax } from '../limits.ts';
import { Backup } from '../models/backup.ts';
import { Schedule } from '../models/schedule.ts';

const read = { role: 'viewer', scope: 'schedules:read', projects: 'named' } as const;
const manage = { role: 'member', scope: 'schedules:write', projects: 'named' } as const;

const yesOrNo = z.boolean('must be true or false');
const countRange = `must be a whole number from 0 to ${retentionCountMax}`;
const Count = z._default(z.int(countRange).check(z.minimum(0, countRange), z.maximum(retentionCountMax, countRange)), 0);
const daysRange = `must be a whole number of days from 1 to ${retentionDaysMax}`;

/** shared/schedule/api/schedule-input.ts validates the expression, the collections and the destination further. */
export const scheduleFields = {
  name: Name,
  // Spaces and tabs around fields, as in crontab(5), are normalized to single spaces.
  cron: z
    .pipe(
      z.transform((value) => (typeof value === 'string' ? value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '') : value)),
      text(cronMax).check(z.meta({ examples: ['0 3 * * *'] })),
    )
    .check(z.meta({ type: 'string', examples: ['0 3 * * *'] })),
  timezone: Timezone,
  type: z.enum(backupTypes),
  enabled: yesOrNo,
  retention: z
    .nullable(z.int(daysRange).check(z.minimum(1, daysRange), z.maximum(retentionDaysMax, daysRange)))
    .check(z.meta({ examples: [30] })),
  retentionPolicy: z
    .nullable(
      z
        .strictObject({ daily: Count, weekly: Count, monthly: Count, yearly: Count })
        .check(z.refine((counts) => Object.values(counts).some((count) => count > 0), 'must keep at least one backup')),
    )
    .check(z.meta({ examples: [null] })),
  collections: Collections,
  excludeCollections: CollectionPaths,
  includeAuthUsers: yesOrNo,
  source: z.enum(backupSources),
  storageDestinationId: z.nullable(id('storageDestination')),
};

export const schedules = group('schedules', `${apiPrefix}/schedules`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Create a schedule',
    body: z.strictObject({
      projectId: id('project'),
      ...scheduleFields,
      timezone: z.optional(scheduleFields.timezone),
      type: z._default(scheduleFields.type, 'full'),
      enabled: z._default(scheduleFields.enabled, true),
      retention: z.optional(scheduleFields.retention),
      retentionPolicy: z.optional(scheduleFields.retentionPolicy),
      collections: z._default(scheduleFields.collections, ['*']),
      excludeCollections: z._default(scheduleFields.excludeCollections, []),
      includeAuthUsers: z._default(scheduleFields.includeAuthUsers, false),
      source: z._default(scheduleFields.source, 'auto'),
      storageDestinationId: z.optional(scheduleFields.storageDestinationId),
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
    access: { ...read, projects: 'listed' },
    summary: 'List schedules, newest first',
    query: z.strictObject({
      projectId: z.optional(id('project')),
      enabled: z.optional(z.enum(['true', 'false'], 'must be true or false')),
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
    summary: 'Update, pause or resume a schedule; only the given fields change',
    note: 'Null resets a field.',
    body: z.strictObject(z.partial(z.object(scheduleFields)).shape),
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
