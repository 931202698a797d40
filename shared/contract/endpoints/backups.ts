import * as z from 'zod';
import { CollectionPaths, Collections } from '../collection-path.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { id, noBody, When } from '../fields.ts';
import { outsideShare } from '../limits.ts';
import { Backup, backupStatuses, backupTypes, Estimate, verifyDepths } from '../models/backup.ts';
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
    alsoStatus: 200,
    audit: 'backup.created',
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'SOURCE_AUTH_ERROR', 'CONFLICT'],
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
      from: When.optional(),
      to: When.optional(),
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
    capabilities: ['table:write'],
  },
  verify: {
    route: 'POST /{backupId}/verify',
    access: manage,
    summary: 'Verify a stored backup: structure, a sample, or every byte',
    body: z.strictObject({ depth: z.enum(verifyDepths).default('structure') }),
    bodyOptional: true,
    data: Backup,
    status: 202,
    audit: 'backup.verified',
    errors: ['BACKUP_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    capabilities: ['table:write'],
  },
});
