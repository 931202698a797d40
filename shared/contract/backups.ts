import * as z from 'zod';
import { Backup, BackupEntry, backupStatuses, backupTypes, Diff, Estimate, verifyDepths } from './backup.ts';
import { CollectionPaths, Collections } from './collection-path.ts';
import { apiPrefix, group } from './endpoint.ts';
import { id, Moment, text, When } from './fields.ts';
import { MaxReads } from './projects.ts';

const read = { role: 'viewer', scope: 'backups:read' } as const;
const manage = { role: 'member', scope: 'backups:write' } as const;
const opens = ['destination:use', 'data-key:open'] as const;

export const backups = group('backups', `${apiPrefix}/backups`, {
  create: {
    method: 'POST',
    path: '',
    access: manage,
    summary: 'Start a backup, or with dryRun estimate one; incremental ones are not available yet',
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
    uses: ['table:write', 'source:read', 'data-key:name'],
  },
  list: {
    method: 'GET',
    path: '',
    access: read,
    summary: 'Backups, newest first; deleted ones only if asked for by status',
    query: z.strictObject({
      projectId: id('project').optional(),
      status: z.enum(backupStatuses).optional(),
      type: z.enum(backupTypes).optional(),
      from: When.optional().describe('Created at or after; a bare date is midnight UTC'),
      to: When.optional().describe('Created at or before; a bare date is the whole day, UTC'),
    }),
    list: Backup,
    uses: ['table:read'],
  },
  import: {
    method: 'POST',
    path: '/import',
    access: manage,
    summary: 'Register a backup that lies in one of your destinations',
    body: z.strictObject({
      projectId: id('project'),
      storageDestinationId: id('storageDestination'),
      path: z
        .string()
        .min(1, 'must not be empty')
        .max(1_024, 'must be at most 1024 characters')
        .describe('Of the folder with its manifest, below the bucket'),
      metadata: z
        .strictObject({ createdAt: Moment.optional(), type: z.enum(backupTypes).optional(), source: text(200).optional() })
        .optional(),
    }),
    data: Backup,
    status: 201,
    audit: 'backup.imported',
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'STORAGE_ERROR', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    uses: ['table:write', ...opens],
  },
  get: {
    method: 'GET',
    path: '/{backupId}',
    access: read,
    summary: 'A backup, with its progress while it runs',
    data: Backup,
    errors: ['BACKUP_NOT_FOUND'],
    uses: ['table:read'],
  },
  remove: {
    method: 'DELETE',
    path: '/{backupId}',
    access: { role: 'admin', scope: 'backups:write' },
    summary: 'Delete a backup and its objects',
    audit: 'backup.deleted',
    errors: ['BACKUP_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    uses: ['table:write'],
  },
  cancel: {
    method: 'POST',
    path: '/{backupId}/cancel',
    access: manage,
    summary: 'Stop a backup that is pending or running; what it stored is removed',
    body: z.strictObject({}),
    bodyOptional: true,
    data: Backup,
    audit: 'backup.cancelled',
    errors: ['BACKUP_NOT_FOUND', 'CONFLICT'],
    uses: ['table:write'],
  },
  verify: {
    method: 'POST',
    path: '/{backupId}/verify',
    access: manage,
    summary: 'Check a backup where it lies: that all is there, a sample, or every byte',
    body: z.strictObject({ depth: z.enum(verifyDepths).default('structure') }),
    bodyOptional: true,
    data: Backup,
    status: 202,
    audit: 'backup.verified',
    errors: ['BACKUP_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    uses: ['table:write'],
  },
  documents: {
    method: 'GET',
    path: '/{backupId}/documents',
    access: read,
    summary: 'Browse a backup: its collections, the documents of one, or one document',
    query: z.strictObject({
      path: z
        .string()
        .max(6_144)
        .default('')
        .describe('Of a collection or a document, such as users or users/ada; all of it if left out'),
      showMissing: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to list documents that do not exist but have collections below them'),
    }),
    list: BackupEntry,
    audit: 'backup.browsed',
    errors: ['BACKUP_NOT_FOUND', 'NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    uses: ['table:write', ...opens],
  },
  diff: {
    method: 'GET',
    path: '/{backupId}/diff',
    access: read,
    summary: 'What changed from another backup to this one, or from this one to the live database',
    query: z.strictObject({
      against: z
        .union([z.literal('live'), id('backup')], 'must be the id of a backup, or live')
        .describe(
          'The id of another backup of the same project: added is what this one has and that one has not. Or live: added is what the database has now and this backup has not; every document there is billed as a read. Compared is what both were to hold, by their lists of collections',
        ),
    }),
    data: Diff,
    paged: true,
    audit: 'backup.compared',
    errors: ['BACKUP_NOT_FOUND', 'PROJECT_NOT_FOUND', 'SOURCE_AUTH_ERROR', 'STORAGE_ERROR', 'CONFLICT'],
    uses: ['table:write', 'source:read', ...opens],
  },
});
