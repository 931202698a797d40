/** Evidence of restore tests: the signed documents, the key that verifies them, and the report over a period. */
import * as z from 'zod/mini';
import { apiPrefix, group } from '../../endpoint.ts';
import { id, When } from '../../fields.ts';
import { outsideShare } from '../../limits.ts';
import { RestoreTestReportFile, SignedEvidence } from '../../models/restore-test-evidence.ts';

const read = { role: 'viewer', scope: 'schedules:read', projects: 'named' } as const;

export const evidence = group('evidence', '', {
  keys: {
    route: 'GET /.well-known/evidence-keys.json',
    access: 'public',
    summary: 'Public keys that verify the evidence of restore tests (RFC 7517); kid is the fingerprint',
    reply: 'file',
    content: { 'application/json': z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.literal('RSA') })) }) },
    capabilities: ['evidence:publish'],
  },
  get: {
    route: `GET ${apiPrefix}/restore-tests/runs/{runId}/evidence`,
    access: read,
    summary: 'Get the signed evidence of a run from the storage destination, verified: altered evidence is refused',
    data: SignedEvidence,
    errors: ['RESTORE_TEST_NOT_FOUND', 'NOT_FOUND', 'CONFLICT', 'EVIDENCE_ALTERED', 'STORAGE_NOT_FOUND', 'STORAGE_ERROR'],
    outboundShare: outsideShare,
    capabilities: ['table:read', 'destination:use'],
  },
  report: {
    route: `GET ${apiPrefix}/restore-tests/report`,
    access: { ...read, projects: 'organization' },
    summary: 'Report of all restore tests that began in a period (default: the last 30 days), as JSON or printable HTML',
    query: z.strictObject({
      from: z.optional(When),
      to: z.optional(When),
      projectId: z.optional(id('project')),
      format: z._default(z.enum(['json', 'html'], 'must be json or html'), 'json'),
    }),
    reply: 'file',
    content: { 'application/json': RestoreTestReportFile, 'text/html': 'text' },
    errors: ['PROJECT_NOT_FOUND'],
    // A call reads up to 20 MB of the table.
    requestsPerMinute: 30,
    capabilities: ['table:read'],
  },
});
