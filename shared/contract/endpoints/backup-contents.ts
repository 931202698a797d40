/** Reading stored backups. A group of its own, because only these endpoints access customers' buckets. */
import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { id, Moment, text } from '../fields.ts';
import { backupTypes } from '../job-enums.ts';
import { browsingShare, outsideShare } from '../limits.ts';
import { Backup, BackupEntry, Diff } from '../models/backup.ts';
import { BackupConfiguration, ConfigurationDiff, ConfigurationRestore, configurationParts } from '../models/configuration.ts';

const read = { role: 'viewer', scope: 'backups:read', projects: 'named' } as const;
const manage = { role: 'member', scope: 'backups:write', projects: 'organization' } as const;
const opens = ['destination:use', 'data-key:open'] as const;

export const backupContents = group('backupContents', `${apiPrefix}/backups`, {
  register: {
    route: 'POST /import',
    access: manage,
    summary: 'Import a backup that is stored in one of your destinations',
    body: z.strictObject({
      projectId: id('project'),
      storageDestinationId: id('storageDestination'),
      path: z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(1_024, 'must be at most 1024 characters')),
      metadata: z.optional(
        z.strictObject({ createdAt: z.optional(Moment), type: z.optional(z.enum(backupTypes)), source: z.optional(text(200)) }),
      ),
    }),
    data: Backup,
    status: 201,
    location: `${apiPrefix}/backups/{id}`,
    audit: 'backup.imported',
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'STORAGE_ERROR', 'JOB_IN_PROGRESS', 'CONFLICT'],
    idempotent: true,
    outboundShare: outsideShare,
    capabilities: ['table:write', ...opens],
  },
  documents: {
    route: 'GET /{backupId}/documents',
    access: read,
    summary: 'Browse a backup: collections, documents of a collection, or one document',
    query: z.strictObject({
      path: z._default(z.string().check(z.maxLength(6_144)), ''),
      showMissing: z._default(z.enum(['true', 'false']), 'false'),
      descendants: z._default(z.enum(['true', 'false']), 'false'),
      startAt: z.optional(z.string().check(z.maxLength(6_144))),
    }),
    list: BackupEntry,
    audit: 'backup.browsed',
    errors: ['BACKUP_NOT_FOUND', 'NOT_FOUND', 'DOCUMENT_NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: browsingShare,
    capabilities: ['table:write', ...opens],
  },
  configuration: {
    route: 'GET /{backupId}/configuration',
    access: read,
    summary:
      'Get what surrounded the documents when a backup was made: settings of the database, indexes, single-field settings and TTL policies, security rules',
    note: 'Each part says whether it was captured, or why it was not, such as a missing permission. configuration is null for backups of versions before 2.1, for safety backups, and for backups of a point in time.',
    data: BackupConfiguration,
    audit: 'backup.browsed',
    errors: ['BACKUP_NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: browsingShare,
    capabilities: ['table:write', ...opens],
  },
  configurationDiff: {
    route: 'GET /{backupId}/configuration/diff',
    access: read,
    summary: 'Compare the configuration that a backup holds with that of another backup, or of the live database',
    note: 'added is what the backup does not have, removed what only the backup has. Parts that one side does not know are in unknown: nothing is said about them.',
    query: z.strictObject({
      against: z.union([z.literal('live'), id('backup')], 'must be the id of a backup, or live'),
    }),
    data: ConfigurationDiff,
    audit: 'backup.compared',
    errors: ['BACKUP_NOT_FOUND', 'PROJECT_NOT_FOUND', 'SOURCE_AUTH_ERROR', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: browsingShare,
    capabilities: ['table:write', 'source:read', ...opens],
  },
  configurationRestore: {
    route: 'POST /{backupId}/configuration/restore',
    // Rules decide who reads the data.
    access: { role: 'admin', scope: 'backups:write', projects: 'organization' },
    summary: 'Restore indexes, TTL policies, settings and security rules that a backup holds, or plan it with dryRun',
    note: 'Nothing is deleted, and no protection is switched off. Indexes are built by Google after the call: a plan says how far they are. What did not fit into the time of a request is not_reached; repeating the call goes on with it.',
    body: z.strictObject({
      dryRun: z._default(z.boolean('must be true or false'), false),
      parts: z._default(
        z
          .array(z.enum(configurationParts, `must be one of ${configurationParts.join(', ')}`))
          .check(z.minLength(1, 'must name a part'), z.maxLength(configurationParts.length)),
        [...configurationParts],
      ),
      targetProjectId: z.optional(id('project')),
    }),
    bodyOptional: true,
    data: ConfigurationRestore,
    audit: 'restore.configuration_written',
    errors: ['BACKUP_NOT_FOUND', 'PROJECT_NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: outsideShare,
    capabilities: ['table:write', 'source:read', ...opens],
  },
  diff: {
    route: 'GET /{backupId}/diff',
    access: read,
    summary:
      'Compare a backup with another backup or with the live database: which documents differ, or with path the fields of one document',
    query: z.strictObject({
      against: z.union([z.literal('live'), id('backup')], 'must be the id of a backup, or live'),
      path: z.optional(z.string().check(z.maxLength(6_144))),
    }),
    data: Diff,
    paged: true,
    audit: 'backup.compared',
    errors: [
      'BACKUP_NOT_FOUND',
      'NOT_FOUND',
      'DOCUMENT_NOT_FOUND',
      'PROJECT_NOT_FOUND',
      'SOURCE_AUTH_ERROR',
      'STORAGE_ERROR',
      'CONFLICT',
    ],
    outboundShare: outsideShare,
    capabilities: ['table:write', 'source:read', ...opens],
  },
});
