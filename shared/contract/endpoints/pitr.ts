import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { id } from '../fields.ts';
import {
  auditDays,
  auditDaysMax,
  auditDaysMin,
  captureIntervalSeconds,
  captureIntervalSecondsMax,
  captureIntervalSecondsMin,
  pitrRetentionDays,
  pitrRetentionDaysMax,
} from '../limits.ts';
import { Pitr, PitrDivergence, PitrWindows, pitrPrecisions } from '../models/pitr.ts';

const RetentionDays = z
  .int('must be a whole number of days')
  .check(
    z.minimum(1, 'must be at least 1'),
    z.maximum(pitrRetentionDaysMax, `must be at most ${pitrRetentionDaysMax}`),
    z.meta({ examples: [pitrRetentionDays] }),
  );
const IntervalSeconds = z
  .int('must be a whole number of seconds')
  .check(
    z.minimum(captureIntervalSecondsMin, `must be at least ${captureIntervalSecondsMin}`),
    z.maximum(captureIntervalSecondsMax, `must be at most ${captureIntervalSecondsMax}`),
    z.meta({ examples: [captureIntervalSeconds] }),
  );
const Precision = z.enum(pitrPrecisions);
const AuditDays = z
  .int('must be a whole number of days')
  .check(
    z.minimum(auditDaysMin, `must be at least ${auditDaysMin}`),
    z.maximum(auditDaysMax, `must be at most ${auditDaysMax}`),
    z.meta({ examples: [auditDays] }),
  );

const read = { role: 'viewer', scope: 'projects:read', projects: 'named' } as const;
const manage = { role: 'member', scope: 'projects:write', projects: 'named' } as const;

export const pitr = group('pitr', `${apiPrefix}/projects/{projectId}/pitr`, {
  enable: {
    route: 'POST',
    access: manage,
    summary: 'Enable point-in-time recovery. Points in time are restorable from the read time of the base backup',
    body: z.strictObject({
      retentionDays: z._default(RetentionDays, pitrRetentionDays),
      captureIntervalSeconds: z._default(IntervalSeconds, captureIntervalSeconds),
      precision: z._default(Precision, 'second'),
      auditDays: z._default(AuditDays, auditDays),
      storageDestinationId: z.optional(id('storageDestination')),
    }),
    bodyOptional: true,
    data: Pitr,
    status: 202,
    location: `${apiPrefix}/projects/{projectId}/pitr`,
    audit: 'pitr.enabled',
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'CONFLICT', 'JOB_IN_PROGRESS'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  get: {
    route: 'GET',
    access: read,
    summary: 'Get the state of point-in-time recovery',
    data: Pitr,
    errors: ['PROJECT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  update: {
    route: 'PATCH',
    access: manage,
    summary: 'Change retention, capture interval, precision or audit',
    body: z.strictObject({
      retentionDays: z.optional(RetentionDays),
      captureIntervalSeconds: z.optional(IntervalSeconds),
      precision: z.optional(Precision),
      auditDays: z.optional(AuditDays),
    }),
    data: Pitr,
    audit: 'pitr.updated',
    errors: ['PROJECT_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  disable: {
    route: 'DELETE',
    access: manage,
    summary: 'Disable capturing. Captured changes stay restorable until their retention ends',
    data: Pitr,
    audit: 'pitr.disabled',
    errors: ['PROJECT_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  windows: {
    route: 'GET /windows',
    access: read,
    summary: 'List restorable time ranges and gaps, for all collections or for one, and page through the captured collections',
    query: z.strictObject({ collection: z.optional(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(6_000))) }),
    data: PitrWindows,
    paged: true,
    errors: ['PROJECT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  divergences: {
    route: 'GET /divergences',
    access: read,
    summary: 'List documents that the audit found to differ from what was captured, with both versions',
    data: z.array(PitrDivergence),
    paged: true,
    errors: ['PROJECT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
});
