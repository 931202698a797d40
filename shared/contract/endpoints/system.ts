import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment } from '../fields.ts';

const Check = z.enum(['ok', 'failing']);
/** Probes read the top level; clients of the envelope read the same fields under `data`. */
const Report = z.object({
  status: z.enum(['healthy', 'degraded']),
  version: z.string(),
  timestamp: Moment,
  checks: z.optional(z.object({ database: Check, redis: Check, storage: Check })),
});
export const Health = z.extend(Report, { success: z.boolean(), data: Report });

export const system = group('system', '', {
  health: {
    route: 'GET /health',
    access: 'public',
    summary: 'Health of the service; checks=true also checks its dependencies',
    query: z.strictObject({ checks: z.optional(z.enum(['true', 'false'])) }),
    reply: 'file',
    content: { 'application/json': Health },
    alsoStatus: 503,
    capabilities: ['health:check'],
  },
  jwks: {
    route: 'GET /.well-known/jwks.json',
    access: 'public',
    summary: 'Public keys of access tokens (RFC 7517)',
    reply: 'file',
    content: { 'application/json': z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.literal('RSA') })) }) },
    capabilities: ['token:verify'],
  },
});

/** A group of its own, so that the health function does not bundle the whole contract. */
export const description = group('description', '', {
  openapi: {
    route: `GET ${apiPrefix}/openapi.json`,
    access: 'public',
    summary: 'OpenAPI 3.1 document of this API',
    reply: 'file',
    content: { 'application/json': z.looseObject({ openapi: z.string() }) },
    capabilities: [],
  },
  docs: {
    route: 'GET /docs',
    alsoPaths: ['/docs/{path+}'],
    access: 'public',
    summary: 'This API reference as a web page: guides, every endpoint and event, search, and trying calls out',
    reply: 'file',
    content: { 'text/html': 'text' },
    errors: ['NOT_FOUND'],
    capabilities: [],
  },
});
