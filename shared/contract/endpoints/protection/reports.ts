import * as z from 'zod/mini';
import { apiPrefix, group } from '../../endpoint.ts';
import { When } from '../../fields.ts';
import { ProtectionReportFile } from '../../models/protection-report.ts';

export const reports = group('reports', `${apiPrefix}/reports`, {
  protection: {
    route: 'GET /protection',
    access: { role: 'admin', scope: 'organization:read', projects: 'organization' },
    summary:
      'Report of a period (default: the last 30 days) for an auditor: what ran and failed, restores, restore tests, locks, retention, erasures and changes, as JSON, CSV or printable HTML',
    query: z.strictObject({
      from: z.optional(When),
      to: z.optional(When),
      format: z._default(z.enum(['json', 'csv', 'html'], 'must be json, csv or html'), 'json'),
    }),
    reply: 'file',
    content: { 'application/json': ProtectionReportFile, 'text/csv': 'text', 'text/html': 'text' },
    // A call reads up to 80 MB of the table.
    requestsPerMinute: 10,
    capabilities: ['table:read'],
  },
});
