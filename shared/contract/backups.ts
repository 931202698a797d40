import * as z from 'zod';
import { encryptionModes } from './encryption.ts';
import { apiPrefix, group } from './endpoint.ts';
import { jobErrors } from './errors.ts';
import { id, Moment, text, When } from './fields.ts';
import { MaxReads } from './projects.ts';
import { storageTypes } from './storage-destinations.ts';

export const backupTypes = ['full', 'incremental'] as const;
export const backupStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled', 'expired', 'deleted'] as const;
export const backupPhases = ['queued', 'preparing', 'planning', 'copying', 'sealing', 'finished'] as const;
export const backupTriggers = ['manual', 'scheduled', 'safety', 'pitr-base', 'import'] as const;
export const verifyDepths = ['structure', 'sample', 'full'] as const;

export const Progress = z.object({
  percent: z.int(),
  documents: z.int(),
  totalDocuments: z.int().nullable().describe('Null where the source does not count'),
});
export const JobError = z.object({
  code: z.enum(jobErrors),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export const Cost = z.object({ reads: z.int(), estimatedUsd: z.number() });
/** One thing that is wrong with a backup, and where. */
export const Finding = z.object({
  object: z.string(),
  problem: z.enum(['missing', 'size', 'corrupt', 'unreadable', 'orphan']),
  message: z.string(),
});
export const Verification = z.object({
  status: z.enum(['running', 'passed', 'failed']),
  depth: z.enum(verifyDepths),
  checkedAt: Moment,
  objects: z.int().describe('Objects looked at'),
  findings: z.array(Finding).describe('The first 100; an orphan is reported and does not fail the verification'),
});

export const Backup = z.object({
  id: z.string(),
  projectId: z.string(),
  type: z.enum(backupTypes),
  parentBackupId: z.string().nullable(),
  status: z.enum(backupStatuses),
  phase: z.enum(backupPhases),
  progress: Progress,
  trigger: z.enum(backupTriggers),
  scheduleId: z.string().nullable(),
  source: z.string().optional().describe('Of an imported backup: where it came from, as told'),
  readTime: z.string().nullable().describe('The one moment that all of it shows'),
  size: z.int().describe('Bytes stored'),
  sizeFormatted: z.string(),
  originalSize: z.int().describe('Bytes of the documents as the source encodes them'),
  duration: z.int().nullable().describe('Milliseconds'),
  storageDestination: z.object({ id: z.string(), name: z.string(), type: z.enum(storageTypes) }),
  path: z.string().describe('Where its objects are, below the bucket'),
  collections: z.array(z.string()),
  excludedCollections: z.array(z.string()),
  unknownCollections: z.array(z.string()).describe('Named in the request, not in the source'),
  documentCount: z.int(),
  collectionCounts: z.record(z.string(), z.int()).describe('Documents by collection id; the 1,000 largest'),
  countVerified: z.boolean().nullable().describe('False if the source does not count'),
  authUsers: z.int().optional().describe('Users of Firebase Authentication in the backup'),
  cost: Cost,
  encryption: z.object({ mode: z.enum(encryptionModes), keyId: z.string() }),
  verification: Verification.nullable(),
  verifiedAt: Moment.nullable(),
  restoreTestedAt: Moment.nullable(),
  lockedUntil: Moment.nullable(),
  expiresAt: Moment.nullable(),
  createdAt: Moment,
  startedAt: Moment.nullable(),
  completedAt: Moment.nullable(),
  error: JobError.nullable(),
});

export const Estimate = z.object({
  documents: z.int().nullable(),
  bytes: z.int().nullable().describe('About, from a sample of documents'),
  reads: z.int().nullable(),
  estimatedUsd: z.number().nullable(),
  shards: z.int(),
  collections: z.array(z.string()),
  unknownCollections: z.array(z.string()),
});

const CollectionPath = z
  .string()
  .min(1, 'must not be empty')
  .max(6_000)
  .refine((path) => path.split('/').length % 2 === 1, 'must be the path of a collection, such as users or users/ada/orders')
  .refine(
    (path) => path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'),
    'must not have empty or dotted parts',
  )
  .refine(
    (path) => path.split('/').every((part, n) => n % 2 === 1 || !/^__.*__$/s.test(part)),
    'must not name a reserved collection',
  )
  .refine((path) => path.isWellFormed(), 'must be well-formed text');
const collectionsMax = 1_000;
export const CollectionPaths = z.array(CollectionPath).max(collectionsMax, `must have at most ${collectionsMax} entries`);
export const Collections = CollectionPaths.min(1, 'must name a collection, or be ["*"]').refine(
  (paths) => !paths.includes('*') || paths.length === 1,
  '* means all and stands alone',
);

/** A map of fields in the form of the REST API. Not a record of zod's: that would drop a field named `__proto__`. */
const RestFields = z
  .custom<Readonly<Record<string, unknown>>>((value) => typeof value === 'object' && value !== null)
  .meta({ type: 'object', additionalProperties: true });

/** A part of a backup's contents: a document in the REST form, or a collection. */
export const BackupEntry = z.object({
  type: z.enum(['collection', 'document']),
  path: z.string(),
  id: z.string(),
  documents: z
    .int()
    .optional()
    .describe('Of a collection: the documents right in it. Left out where it is too large to be counted for one answer'),
  name: z.string().optional().describe('Of a document: its full name in the source'),
  fields: RestFields.optional().describe('Of a document, in the form of the Firestore REST API'),
  createTime: z.string().optional(),
  updateTime: z.string().optional(),
  missing: z.literal(true).optional().describe('With showMissing: there is no such document, but there are collections below it'),
  fieldsTooLarge: z
    .literal(true)
    .optional()
    .describe('The fields are too large, as JSON, for one answer; the archive command gives them'),
});

/** What changed from one state of a database to another. */
export const Diff = z.object({
  against: z.string(),
  counts: z
    .object({ added: z.int(), changed: z.int(), removed: z.int(), unchanged: z.int() })
    .describe('Documents. One that was written again with the same fields is unchanged'),
  complete: z.boolean().describe('False if the counts cover what was compared so far; they grow with the next pages'),
  changes: z.array(z.object({ path: z.string(), change: z.enum(['added', 'changed', 'removed']) })),
  cost: Cost.optional().describe('With live: what the comparison was billed by the source so far, pages before included'),
});

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
