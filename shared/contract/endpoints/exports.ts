import * as z from 'zod/mini';
import { Collections } from '../collection-path.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { id, KeptDays, noBody, When } from '../fields.ts';
import { exportFormats, exportStatuses } from '../job-enums.ts';
import { browsingShare, exportColumnsMax, outsideShare } from '../limits.ts';
import { Export, ExportContent, ExportFile, ExportPlan } from '../models/export.ts';
import { Timeline } from '../models/job.ts';
import { Transform } from '../models/transform.ts';

const read = { role: 'viewer', scope: 'backups:read', projects: 'named' } as const;
/** As a restore: contents leave the service. */
const manage = { role: 'member', scope: 'backups:write', projects: 'named' } as const;

const yesOrNo = z.boolean('must be true or false');
const Columns = z
  .array(
    z.string().check(
      z.minLength(1, 'must not be empty'),
      z.maxLength(1_500, 'must have at most 1500 characters'),
      z.refine((text) => text.isWellFormed(), 'must be well-formed text'),
    ),
  )
  .check(z.minLength(1, 'must name a column'), z.maxLength(exportColumnsMax, `must have at most ${exportColumnsMax} entries`));

const Recipients = z
  .array(
    z
      .string()
      .check(
        z.regex(/^age1[a-z\d]{58}$/, 'must be a public key of age, such as age1ql3z7hjy5…'),
        z.meta({ examples: ['age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'] }),
      ),
  )
  .check(z.minLength(1, 'must name a public key'), z.maxLength(20, 'must have at most 20 entries'));

export const exports = group('exports', `${apiPrefix}/exports`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Export a backup or a point in time into a storage destination, or plan it with dryRun',
    body: z.strictObject({
      backupId: z.optional(id('backup')),
      projectId: z.optional(id('project')),
      pointInTime: z.optional(When),
      collections: z.optional(Collections),
      format: z.enum(exportFormats),
      columns: z.optional(Columns),
      exactText: z.optional(yesOrNo),
      storageDestinationId: z.optional(id('storageDestination')),
      download: z.optional(yesOrNo),
      recipients: z.optional(Recipients),
      retention: z.optional(KeptDays),
      dryRun: z._default(yesOrNo, false),
      transform: z.optional(Transform),
    }),
    data: z.union([Export, ExportPlan]),
    status: 202,
    location: `${apiPrefix}/exports/{id}`,
    alsoStatus: 200,
    audit: 'export.created',
    errors: [
      'BACKUP_NOT_FOUND',
      'COLLECTION_NOT_FOUND',
      'PROJECT_NOT_FOUND',
      'STORAGE_NOT_FOUND',
      'JOB_IN_PROGRESS',
      'STORAGE_ERROR',
      'CONFLICT',
    ],
    idempotent: true,
    outboundShare: outsideShare,
    capabilities: ['table:write', 'destination:use', 'data-key:open', 'data-key:name'],
  },
  list: {
    route: 'GET',
    access: { ...read, projects: 'listed' },
    summary: 'List exports, newest first',
    query: z.strictObject({
      projectId: z.optional(id('project')),
      backupId: z.optional(id('backup')),
      status: z.optional(z.enum(exportStatuses)),
      from: z.optional(When),
      to: z.optional(When),
    }),
    list: Export,
    capabilities: ['table:read'],
  },
  get: {
    route: 'GET /{exportId}',
    access: read,
    summary: 'Get an export with its phase and progress',
    data: Export,
    errors: ['EXPORT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  timeline: {
    route: 'GET /{exportId}/timeline',
    access: read,
    summary: 'Get the timeline of an export: phases, failed attempts',
    data: Timeline,
    errors: ['EXPORT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  files: {
    route: 'GET /{exportId}/files',
    access: read,
    summary: 'List the files of a completed export with their sizes and SHA-256 digests',
    note: 'They are read from manifest.json in the bucket, which is verified.',
    list: ExportFile,
    errors: ['EXPORT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: browsingShare,
    capabilities: ['table:read', 'destination:use'],
  },
  content: {
    route: 'GET /{exportId}/content',
    access: manage,
    summary: 'Download a file of a completed export, up to 4 MiB per call',
    note: 'Calls with nextOffset follow until it is null. The digest of the whole file is in the list of files. An export of more than 1 GiB is read from its bucket.',
    query: z.strictObject({
      file: z
        .string()
        .check(
          z.minLength(1, 'must not be empty'),
          z.maxLength(2_000, 'must be at most 2000 characters'),
          z.meta({ examples: ['orders/part-00001.parquet'] }),
        ),
      offset: z._default(z.string().check(z.regex(/^(0|[1-9]\d{0,14})$/, 'must be a whole number')), '0'),
    }),
    data: ExportContent,
    audit: 'export.downloaded',
    errors: ['EXPORT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: browsingShare,
    capabilities: ['table:write', 'destination:use'],
  },
  resume: {
    route: 'POST /{exportId}/resume',
    access: manage,
    summary: 'Resume a failed export without writing its finished files again',
    note: 'Possible for a day if its bucket or the service was the reason, which resumableUntil says.',
    ...noBody,
    data: Export,
    status: 202,
    location: `${apiPrefix}/exports/{id}`,
    audit: 'export.resumed',
    errors: ['EXPORT_NOT_FOUND', 'BACKUP_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  cancel: {
    route: 'POST /{exportId}/cancel',
    access: manage,
    summary: 'Cancel a pending or running export. The files it has written are deleted',
    ...noBody,
    data: Export,
    audit: 'export.cancelled',
    errors: ['EXPORT_NOT_FOUND', 'CONFLICT'],
    destructive: true,
    capabilities: ['table:write'],
  },
});
