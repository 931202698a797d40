import * as z from 'zod/mini';
import { CollectionPaths, Collections } from '../collection-path.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { id, KeptDays, MaxReads, noBody, text, When } from '../fields.ts';
import { backupSources, backupStatuses, backupTriggers, backupTypes, verifyDepths } from '../job-enums.ts';
import { outsideShare } from '../limits.ts';
import { Backup, Estimate } from '../models/backup.ts';
import { Timeline } from '../models/job.ts';

const read = { role: 'viewer', scope: 'backups:read', projects: 'named' } as const;
const manage = { role: 'member', scope: 'backups:write', projects: 'named' } as const;

export const backups = group('backups', `${apiPrefix}/backups`, {
  create: {
    route: 'POST',
    access: manage,
    summary:
      'Start a backup, or estimate it with dryRun. An incremental one stores only changes since the latest backup of the same collections in the same storage. Both read the whole source, unless they are built from captured changes',
    body: z.strictObject({
      projectId: id('project'),
      type: z._default(z.enum(backupTypes), 'full'),
      collections: z._default(Collections, ['*']),
      excludeCollections: z._default(CollectionPaths, []),
      storageDestinationId: z.optional(id('storageDestination')),
      includeAuthUsers: z._default(z.boolean('must be true or false'), false),
      retention: z.optional(KeptDays),
      maxReads: z.optional(MaxReads),
      source: z._default(z.enum(backupSources), 'auto'),
      dryRun: z._default(z.boolean('must be true or false'), false),
    }),
    data: z.union([Backup, Estimate]),
    status: 202,
    location: `${apiPrefix}/backups/{id}`,
    alsoStatus: 200,
    audit: 'backup.created',
    errors: [
      'PROJECT_NOT_FOUND',
      'STORAGE_NOT_FOUND',
      'JOB_IN_PROGRESS',
      'SOURCE_AUTH_ERROR',
      'COLLECTION_NOT_FOUND',
      'CONFLICT',
    ],
    idempotent: true,
    outboundShare: outsideShare,
    capabilities: ['table:write', 'source:read', 'data-key:name'],
  },
  list: {
    route: 'GET',
    access: { ...read, projects: 'listed' },
    summary: 'List backups, newest first. Deleted and expired backups are listed only with the status filter',
    query: z.strictObject({
      projectId: z.optional(id('project')),
      status: z.optional(z.enum(backupStatuses)),
      type: z.optional(z.enum(backupTypes)),
      trigger: z.optional(z.enum(backupTriggers)),
      scheduleId: z.optional(id('schedule')),
      storageDestinationId: z.optional(id('storageDestination')),
      from: z.optional(When),
      to: z.optional(When),
      anomaly: z.optional(z.enum(['true', 'unacknowledged'], 'must be true or unacknowledged')),
      internal: z.optional(z.enum(['exclude'], 'must be exclude')),
    }),
    list: Backup,
    capabilities: ['table:read'],
  },
  get: {
    route: 'GET /{backupId}',
    access: read,
    summary: 'Get a backup and its progress',
    data: Backup,
    errors: ['BACKUP_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  timeline: {
    route: 'GET /{backupId}/timeline',
    access: read,
    summary: 'Get the timeline of a backup: phases, waits, failed attempts',
    data: Timeline,
    errors: ['BACKUP_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  remove: {
    route: 'DELETE /{backupId}',
    access: { role: 'admin', scope: 'backups:write', projects: 'named' },
    summary: 'Delete a backup and its objects',
    audit: 'backup.deleted',
    errors: ['BACKUP_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  cancel: {
    route: 'POST /{backupId}/cancel',
    access: manage,
    summary: 'Cancel a pending or running backup and delete its objects',
    ...noBody,
    data: Backup,
    audit: 'backup.cancelled',
    errors: ['BACKUP_NOT_FOUND', 'CONFLICT'],
    destructive: true,
    capabilities: ['table:write'],
  },
  verify: {
    route: 'POST /{backupId}/verify',
    access: manage,
    summary: 'Verify a stored backup: its structure, a sample, or every byte and all keys it depends on',
    body: z.strictObject({ depth: z._default(z.enum(verifyDepths), 'structure') }),
    bodyOptional: true,
    data: Backup,
    status: 202,
    location: `${apiPrefix}/backups/{id}`,
    audit: 'backup.verified',
    errors: ['BACKUP_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  acknowledge: {
    route: 'POST /{backupId}/acknowledge',
    // A person decides that what was found is in order: a key cannot.
    access: { role: 'member', scope: 'people-only' },
    summary: 'Acknowledge what is unusual about a backup: retention may then expire the last one from before it',
    note: '409 if it is not marked, or if more is found. Repeating it changes nothing.',
    body: z.strictObject({ note: z.optional(text(1_000)) }),
    bodyOptional: true,
    data: Backup,
    audit: 'backup.anomaly_acknowledged',
    errors: ['BACKUP_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
});
