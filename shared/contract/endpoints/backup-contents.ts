/** Reading stored backups. A group of its own, because only these endpoints access customers' buckets. */
import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { id, Moment, text } from '../fields.ts';
import { backupTypes } from '../job-enums.ts';
import { browsingShare, outsideShare } from '../limits.ts';
import { Backup, BackupEntry, Diff } from '../models/backup.ts';

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
