/** Searching what backups hold. */
import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { id } from '../fields.ts';
import { browsingShare } from '../limits.ts';
import { FoundDocuments } from '../models/found-documents.ts';

export const search = group('search', `${apiPrefix}/search`, {
  documents: {
    route: 'GET',
    access: { role: 'viewer', scope: 'backups:read', projects: 'named' },
    summary:
      'Search a backup: for a document by its path or id, or for documents by the values of their fields, such as email == "ada@example.com" and total > 100',
    note: 'q is a path, an id, a text in double quotes that is looked for in every field, or conditions joined by and: a field, one of ==, !=, <, <=, >, >=, contains or exists, and a value. Text is in double quotes; numbers, true, false, null, dates such as 2026-01-31T08:00:00Z and paths of documents are not. Without backupId the newest completed backup of the project is searched. A call ends after some seconds, or when the page is full; with nextCursor the search goes on, even if nothing was found so far. With part, such as 1/4, one of four equal parts of the backup is searched, so that four calls can be made at once. dryRun says what the search will read, how long it takes and what it costs. The source is not read.',
    query: z.strictObject({
      q: z
        .string()
        .check(
          z.minLength(1, 'must not be empty'),
          z.maxLength(2_000, 'must be at most 2000 characters'),
          z.meta({ examples: ['email == "ada@example.com"'] }),
        ),
      projectId: id('project'),
      backupId: z.optional(id('backup')),
      collection: z.optional(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(6_144))),
      part: z.optional(z.string().check(z.maxLength(5))),
      dryRun: z._default(z.enum(['true', 'false']), 'false'),
    }),
    data: FoundDocuments,
    paged: true,
    audit: 'document.searched',
    errors: ['PROJECT_NOT_FOUND', 'BACKUP_NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: browsingShare,
    capabilities: ['table:write', 'destination:use', 'data-key:open'],
  },
});
