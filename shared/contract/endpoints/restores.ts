import * as z from 'zod';
import { Collections } from '../collection-path.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { id, When } from '../fields.ts';
import { outsideShare, restoreDocumentIdsMax, writesPerSecondMax } from '../limits.ts';
import { DryRun, MergeMode, RestoreHistory, RestoreJob } from '../models/restore.ts';

const read = { role: 'viewer', scope: 'backups:read' } as const;
const manage = { role: 'member', scope: 'backups:write' } as const;

const yesOrNo = z.boolean('must be true or false');
const DocumentIds = z
  .array(z.string().min(1, 'must not be empty').max(6_000))
  .min(1, 'must name a document')
  .max(restoreDocumentIdsMax, `must have at most ${restoreDocumentIdsMax} entries`);

export const restores = group('restores', `${apiPrefix}/backups/restore`, {
  create: {
    method: 'POST',
    path: '',
    access: manage,
    summary: 'Restore a backup or a point in time, or plan it with dryRun',
    body: z.strictObject({
      backupId: id('backup').optional(),
      projectId: id('project').optional(),
      pointInTime: When.optional(),
      targetProjectId: id('project').optional(),
      collections: Collections.optional(),
      documentIds: DocumentIds.optional(),
      options: z
        .strictObject({
          mergeMode: MergeMode.default('overwrite'),
          collections: Collections.optional(),
          dryRun: yesOrNo.default(false),
          includeAuthUsers: yesOrNo.optional(),
          includeSubcollections: yesOrNo.default(true),
          safetyBackup: yesOrNo.default(true),
          safetyStorageDestinationId: id('storageDestination').optional(),
          maxWritesPerSecond: z
            .int('must be a whole number')
            .min(1, 'must be at least 1')
            .max(writesPerSecondMax, `must be at most ${writesPerSecondMax}`)
            .optional(),
        })
        .prefault({}),
    }),
    data: z.union([RestoreJob, DryRun]),
    status: 202,
    alsoStatus: 200,
    audit: 'restore.created',
    errors: [
      'BACKUP_NOT_FOUND',
      'PROJECT_NOT_FOUND',
      'STORAGE_NOT_FOUND',
      'JOB_IN_PROGRESS',
      'SOURCE_AUTH_ERROR',
      'STORAGE_ERROR',
      'CONFLICT',
    ],
    idempotent: true,
    outboundShare: outsideShare,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open', 'data-key:name'],
  },
  list: {
    method: 'GET',
    path: '',
    access: read,
    summary: 'List restores, newest first',
    query: z.strictObject({
      projectId: id('project').optional(),
    }),
    list: RestoreHistory,
    capabilities: ['table:read'],
  },
  get: {
    method: 'GET',
    path: '/{restoreJobId}',
    access: read,
    summary: 'Get a restore with its phase and progress',
    data: RestoreJob,
    errors: ['RESTORE_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  cancel: {
    method: 'POST',
    path: '/{restoreJobId}/cancel',
    access: manage,
    summary: 'Cancel a pending or running restore. Its writes remain and can be undone',
    body: z.strictObject({}),
    bodyOptional: true,
    data: RestoreJob,
    audit: 'restore.cancelled',
    errors: ['RESTORE_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  resume: {
    method: 'POST',
    path: '/{restoreJobId}/resume',
    access: manage,
    summary: 'Resume a failed or cancelled restore without repeating completed writes',
    body: z.strictObject({}),
    bodyOptional: true,
    data: RestoreJob,
    status: 202,
    audit: 'restore.resumed',
    errors: ['RESTORE_NOT_FOUND', 'PROJECT_NOT_FOUND', 'BACKUP_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  undo: {
    method: 'POST',
    path: '/{restoreJobId}/undo',
    access: manage,
    summary: 'Undo a restore: put the documents it touched back to their previous state. Possible for 7 days',
    body: z.strictObject({}),
    bodyOptional: true,
    data: RestoreJob,
    status: 202,
    audit: 'restore.undone',
    errors: ['RESTORE_NOT_FOUND', 'PROJECT_NOT_FOUND', 'BACKUP_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    capabilities: ['table:write', 'data-key:name'],
  },
});
