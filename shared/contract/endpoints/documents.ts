/** Finding a document across the live database, backups and captured changes. */
import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { id } from '../fields.ts';
import { outsideShare } from '../limits.ts';
import { DeletedDocuments, LocatedDocument } from '../models/document.ts';

const read = { role: 'viewer', scope: 'backups:read', projects: 'named' } as const;
const opens = ['destination:use', 'data-key:open'] as const;

export const documents = group('documents', `${apiPrefix}/documents`, {
  locate: {
    route: 'GET /locate',
    access: read,
    summary:
      'Find a document: whether it exists now, which backups and moments have it, when it last changed or vanished, and what to restore',
    note: 'A page examines at most 20 backups, newest first; with nextCursor, older ones follow. A document that is found nowhere is no error. The live database is read for members only, and costs one read; an id alone one for each root collection, at most 100.',
    query: z.strictObject({
      projectId: z.optional(id('project')),
      path: z.string().check(
        z.minLength(1, 'must not be empty'),
        z.maxLength(8_192, 'must be at most 8192 characters'),
        z.meta({
          examples: [
            'https://console.cloud.google.com/firestore/databases/-default-/data/panel/orders/7?project=web-shop-production',
          ],
        }),
      ),
    }),
    data: LocatedDocument,
    paged: true,
    audit: 'document.located',
    errors: ['PROJECT_NOT_FOUND'],
    outboundShare: outsideShare,
    capabilities: ['table:write', 'source:read', ...opens],
  },
  deleted: {
    route: 'GET /deleted',
    access: read,
    summary:
      'List documents that were deleted lately, newest first, from the captured changes of point-in-time recovery. Without captures there are none: compare the latest backup with the live database instead',
    query: z.strictObject({ projectId: id('project') }),
    data: DeletedDocuments,
    audit: 'document.deletions_listed',
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: outsideShare,
    capabilities: ['table:write', ...opens],
  },
});
