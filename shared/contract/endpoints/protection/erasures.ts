import * as z from 'zod/mini';
import { apiPrefix, group } from '../../endpoint.ts';
import { text } from '../../fields.ts';
import { browsingShare, erasurePathsMax } from '../../limits.ts';
import { Erasure, ErasurePreview } from '../../models/erasure.ts';

const read = { role: 'viewer', scope: 'projects:read', projects: 'named' } as const;
/** A scope of its own, because an erasure cannot be undone. */
const manage = { role: 'admin', scope: 'erasures:write', projects: 'named' } as const;

/** A plain value, or a typed one as documents are shown. */
const Value = z
  .union(
    [z.string(), z.number(), z.boolean(), z.null(), z.record(z.string(), z.unknown())],
    'must be a string, a number, a boolean, null, or a typed value such as {"timestampValue": "2025-01-31T08:00:00Z"}',
  )
  .check(z.meta({ examples: ['ada@example.com'] }));

/** What an erasure names. */
const documents = {
  paths: z.optional(
    z
      .array(z.string().check(z.maxLength(6_144, 'must be at most 6144 characters'), z.meta({ examples: ['users/ada'] })))
      .check(z.minLength(1, 'must not be empty'), z.maxLength(erasurePathsMax, `must have at most ${erasurePathsMax} paths`)),
  ),
  query: z.optional(
    z.strictObject({
      collection: z.optional(z.string().check(z.maxLength(1_500), z.meta({ examples: ['users'] }))),
      field: z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(1_500), z.meta({ examples: ['email'] })),
      value: Value,
    }),
  ),
  includeSubcollections: z._default(z.boolean(), true),
};

export const erasures = group('erasures', `${apiPrefix}/projects/{projectId}/erasures`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Erase documents from every backup: from now on no restore, browse, compare or export shows them. Cannot be undone',
    body: z.strictObject({ ...documents, reason: text(500).check(z.meta({ examples: ['Request of 2025-01-31, ticket 4711'] })) }),
    data: Erasure,
    status: 201,
    location: `${apiPrefix}/projects/{projectId}/erasures/{id}`,
    audit: 'erasure.created',
    errors: ['PROJECT_NOT_FOUND', 'CONFLICT', 'JOB_IN_PROGRESS'],
    idempotent: true,
    capabilities: ['table:write', 'data-key:make', 'data-key:open'],
  },
  preview: {
    route: 'POST /preview',
    access: manage,
    summary: 'Find the documents that an erasure would hide in the newest completed backup, without erasing them',
    note: 'An erasure also hides versions in other backups and in captured changes. A call ends after some seconds; if the backup is larger, complete is false.',
    body: z.strictObject(documents),
    data: ErasurePreview,
    audit: 'document.searched',
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: browsingShare,
    capabilities: ['table:write', 'destination:use', 'data-key:open'],
  },
  list: {
    route: 'GET',
    access: read,
    summary: 'List the erasures of a project, newest first. Paths and values are never returned',
    list: Erasure,
    errors: ['PROJECT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  get: {
    route: 'GET /{erasureId}',
    access: read,
    summary: 'Get an erasure: whether a backup still holds its documents, and whether all copies beside the backups have it',
    data: Erasure,
    errors: ['PROJECT_NOT_FOUND', 'ERASURE_NOT_FOUND'],
    capabilities: ['table:read'],
  },
});
