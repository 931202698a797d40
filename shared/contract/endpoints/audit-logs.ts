import * as z from 'zod';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment, When } from '../fields.ts';

export const AuditEntry = z.object({
  id: z.string(),
  timestamp: Moment,
  action: z.string(),
  actor: z.object({ type: z.enum(['user', 'service_account', 'system']), id: z.string(), email: z.string().nullable() }),
  resource: z.object({ type: z.string(), id: z.string() }),
  organization: z.object({ id: z.string() }),
  context: z.object({
    ip: z.string().nullable(),
    userAgent: z.string().nullable(),
    location: z.string().nullable(),
    requestId: z.string(),
  }),
  details: z.record(z.string(), z.unknown()),
});

const read = { role: 'admin', scope: 'organization:read' } as const;
const filters = {
  from: When.optional(),
  to: When.optional(),
  action: z.string().max(100).optional(),
  actorId: z.string().max(100).optional(),
  resourceType: z.string().max(100).optional(),
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
    query: z.strictObject({ ...filters, format: z.enum(['csv', 'json']).default('csv') }),
    reply: 'file',
    content: { 'text/csv': 'text', 'application/json': z.array(AuditEntry) },
    capabilities: ['table:read'],
  },
});
