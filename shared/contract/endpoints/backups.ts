import * as z from 'zod';
import { CollectionPaths, Collections } from '../collection-path.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { id, noBody, text, When } from '../fields.ts';
import { outsideShare } from '../limits.ts';
import { Backup, backupStatuses, backupTriggers, backupTypes, Estimate, verifyDepths } from '../models/backup.ts';
import { MaxReads } from './projects.ts';

const read = { role: 'viewer', scope: 'backups:read' } as const;
const manage = { role: 'member', scope: 'backups:write' } as const;

export const backups = group('backups', `${apiPrefix}/backups`, {
  create: {
    route: 'POST',
    access: manage,
    summary:
      'Start a backup, or estimate it with dryRun. An incremental backup reads the whole source like a full one, but stores only changes since the latest backup of the same collections in the same storage destination',
    body: z.strictObject({
      projectId: id('project'),
      type: z.enum(backupTypes).default('full'),
      collections: Collections.default(['*']),
      excludeCollections: CollectionPaths.default([]),
      storageDestinationId: id('storageDestination').optional(),
      includeAuthUsers: z.boolean('must be true or false').default(false),
      retention: z
        .int('must be a whole number of days')
        .min(1, 'must be at least 1')
        .max(3_650, 'must be at most 3650')
        .optional(),
      maxReads: MaxReads.optional(),
      dryRun: z.boolean('must be true or false').default(false),
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
    access: read,
    summary: 'List backups, newest first. Deleted and expired backups are listed only with the status filter',
    query: z.strictObject({
      projectId: id('project').optional(),
      status: z.enum(backupStatuses).optional(),
      type: z.enum(backupTypes).optional(),
      trigger: z.enum(backupTriggers).optional(),
      scheduleId: id('schedule').optional(),
      storageDestinationId: id('storageDestination').optional(),
      from: When.optional(),
      to: When.optional(),
      anomaly: z.enum(['true', 'unacknowledged'], 'must be true or unacknowledged').optional(),
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
  remove: {
    route: 'DELETE /{backupId}',
    access: { role: 'admin', scope: 'backups:write' },
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
    summary: 'Verify a stored backup: its structure, a sample, or every byte and the keys of all backups it depends on',
    body: z.strictObject({ depth: z.enum(verifyDepths).default('structure') }),
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
    summary:
      'Acknowledge what is unusual about a backup: retention may then expire the last backup from before it. 409 if it is not marked, or if more is found meanwhile. A repeated call changes nothing',
    body: z.strictObject({ note: text(1_000).optional() }),
    bodyOptional: true,
    data: Backup,
    audit: 'backup.anomaly_acknowledged',
    errors: ['BACKUP_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
});
