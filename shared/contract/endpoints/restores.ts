import * as z from 'zod/mini';
import { Collections } from '../collection-path.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { id, noBody, When } from '../fields.ts';
import { restoreStatuses } from '../job-enums.ts';
import { outsideShare, restoreDocumentIdsMax, writesPerSecondMax } from '../limits.ts';
import { Timeline } from '../models/job.ts';
import { DryRun, MergeMode, RestoreHistory, RestoreJob } from '../models/restore.ts';
import { Transform } from '../models/transform.ts';

const read = { role: 'viewer', scope: 'backups:read', projects: 'named' } as const;
const manage = { role: 'member', scope: 'backups:write', projects: 'named' } as const;

const yesOrNo = z.boolean('must be true or false');
const DocumentIds = z
  .array(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(6_000)))
  .check(
    z.minLength(1, 'must name a document'),
    z.maxLength(restoreDocumentIdsMax, `must have at most ${restoreDocumentIdsMax} entries`),
  );

/** Of a plan: what may be deleted. */
const DeleteDigest = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be the deleteDigest of a plan'));

export const restores = group('restores', `${apiPrefix}/backups/restore`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Restore a backup or a point in time, plan it with dryRun, or only build its backup with buildOnly',
    body: z.strictObject({
      backupId: z.optional(id('backup')),
      projectId: z.optional(id('project')),
      pointInTime: z.optional(When),
      targetProjectId: z.optional(id('project')),
      collections: z.optional(Collections),
      documentIds: z.optional(DocumentIds),
      allowPartial: z.optional(yesOrNo),
      options: z.prefault(
        z.strictObject({
          mergeMode: z._default(MergeMode, 'overwrite'),
          collections: z.optional(Collections),
          dryRun: z._default(yesOrNo, false),
          buildOnly: z.optional(yesOrNo),
          includeAuthUsers: z.optional(yesOrNo),
          includeSubcollections: z._default(yesOrNo, true),
          allowPartial: z.optional(yesOrNo),
          safetyBackup: z._default(yesOrNo, true),
          safetyStorageDestinationId: z.optional(id('storageDestination')),
          maxWritesPerSecond: z.optional(
            z
              .int('must be a whole number')
              .check(z.minimum(1, 'must be at least 1'), z.maximum(writesPerSecondMax, `must be at most ${writesPerSecondMax}`)),
          ),
          deleteDigest: z.optional(DeleteDigest),
          transform: z.optional(Transform),
        }),
        {},
      ),
    }),
    data: z.union([RestoreJob, DryRun]),
    status: 202,
    location: `${apiPrefix}/backups/restore/{restoreJobId}`,
    alsoStatus: 200,
    audit: 'restore.created',
    errors: [
      'BACKUP_NOT_FOUND',
      'COLLECTION_NOT_FOUND',
      'DOCUMENT_NOT_FOUND',
      'PROJECT_NOT_FOUND',
      'STORAGE_NOT_FOUND',
      'JOB_IN_PROGRESS',
      'SOURCE_AUTH_ERROR',
      'STORAGE_ERROR',
      'CONFLICT',
    ],
    idempotent: true,
    outboundShare: outsideShare,
    destructive: true,
    capabilities: ['table:write', 'source:read', 'destination:use', 'data-key:open', 'data-key:name'],
  },
  list: {
    route: 'GET',
    access: { ...read, projects: 'listed' },
    summary: 'List restores, newest first',
    query: z.strictObject({
      projectId: z.optional(id('project')),
      backupId: z.optional(id('backup')),
      status: z.optional(z.enum(restoreStatuses)),
      from: z.optional(When),
      to: z.optional(When),
    }),
    list: RestoreHistory,
    capabilities: ['table:read'],
  },
  get: {
    route: 'GET /{restoreJobId}',
    access: read,
    summary: 'Get a restore with its phase and progress',
    data: RestoreJob,
    errors: ['RESTORE_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  timeline: {
    route: 'GET /{restoreJobId}/timeline',
    access: read,
    summary: 'Get the timeline of a restore: phases, waits, failed attempts',
    data: Timeline,
    errors: ['RESTORE_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  cancel: {
    route: 'POST /{restoreJobId}/cancel',
    access: manage,
    summary: 'Cancel a pending or running restore. Its writes remain and can be undone',
    ...noBody,
    data: RestoreJob,
    audit: 'restore.cancelled',
    errors: ['RESTORE_NOT_FOUND', 'CONFLICT'],
    destructive: true,
    capabilities: ['table:write'],
  },
  resume: {
    route: 'POST /{restoreJobId}/resume',
    access: manage,
    summary: 'Resume a failed or cancelled restore without repeating completed writes',
    ...noBody,
    data: RestoreJob,
    status: 202,
    location: `${apiPrefix}/backups/restore/{restoreJobId}`,
    audit: 'restore.resumed',
    errors: ['RESTORE_NOT_FOUND', 'PROJECT_NOT_FOUND', 'BACKUP_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    destructive: true,
    capabilities: ['table:write'],
  },
  undo: {
    route: 'POST /{restoreJobId}/undo',
    access: manage,
    summary:
      'Undo a restore: put the documents it touched back to their previous state, or plan that with dryRun. Possible for 7 days',
    body: z.strictObject({ dryRun: z._default(yesOrNo, false), deleteDigest: z.optional(DeleteDigest) }),
    bodyOptional: true,
    data: RestoreJob,
    status: 202,
    location: `${apiPrefix}/backups/restore/{restoreJobId}`,
    audit: 'restore.undone',
    errors: ['RESTORE_NOT_FOUND', 'PROJECT_NOT_FOUND', 'BACKUP_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    destructive: true,
    capabilities: ['table:write', 'data-key:name'],
  },
});
