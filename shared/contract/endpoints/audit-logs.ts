import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { id, Moment, When } from '../fields.ts';
import { Creator } from '../models/job.ts';

export const AuditEntry = z.object({
  id: z.string(),
  timestamp: Moment,
  action: z.string(),
  actor: Creator,
  resource: z.object({ type: z.string(), id: z.string() }),
  organization: z.object({ id: z.string() }),
  context: z.object({
    ip: z.nullable(z.string()),
    userAgent: z.nullable(z.string()),
    location: z.nullable(z.string()),
    requestId: z.string(),
  }),
  details: z.record(z.string(), z.unknown()),
});

const read = { role: 'admin', scope: 'organization:read', projects: 'organization' } as const;
const filters = {
  id: z.optional(id('audit')),
  from: z.optional(When),
  to: z.optional(When),
  action: z.optional(z.string().check(z.maxLength(100))),
  actorId: z.optional(z.string().check(z.maxLength(100))),
  resourceType: z.optional(z.string().check(z.maxLength(100))),
  resourceId: z.optional(z.string().check(z.maxLength(100))),
  search: z.optional(z.string().check(z.maxLength(200))),
};

export const auditLogs = group('auditLogs', `${apiPrefix}/audit-logs`, {
  list: {
    route: 'GET',
    access: read,
    summary: 'List audit log entries, newest first',
    query: z.strictObject(filters),
    list: AuditEntry,
    capabilities: ['table:read'],
  },
  download: {
    route: 'GET /export',
    access: read,
    summary: 'Export audit log entries as a file',
    query: z.strictObject({ ...filters, format: z._default(z.enum(['csv', 'json']), 'csv') }),
    reply: 'file',
    content: { 'text/csv': 'text', 'application/json': z.array(AuditEntry) },
    capabilities: ['table:read'],
  },
});
