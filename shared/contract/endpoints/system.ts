import * as z from 'zod';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment } from '../fields.ts';

const Check = z.enum(['ok', 'failing']);
/** Probes read `status` at the top; clients that know our envelope read the same under `data`. */
const Report = z.object({
  status: z.enum(['healthy', 'degraded']),
  version: z.string(),
  timestamp: Moment,
  checks: z
    .object({
      database: Check,
      redis: Check,
      storage: Check,
    })
    .optional(),
});
export const Health = Report.extend({ success: z.boolean(), data: Report });

export const system = group('system', '', {
  health: {
    method: 'GET',
    path: '/health',
    access: 'public',
    summary: 'Whether the service is up, and with checks=true whether its parts answer',
    query: z.strictObject({ checks: z.enum(['true', 'false']).optional() }),
    reply: 'file',
    content: { 'application/json': Health },
    alsoStatus: 503,
    capabilities: ['health:check'],
  },
  jwks: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    access: 'public',
    summary: 'The public keys of our access tokens (RFC 7517)',
    reply: 'file',
    content: { 'application/json': z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.literal('RSA') })) }) },
    capabilities: ['token:verify'],
  },
});

/** A group of its own: it takes every row of the contract, and health should start without them. */
export const description = group('description', '', {
  openapi: {
    method: 'GET',
    path: `${apiPrefix}/openapi.json`,
    access: 'public',
    summary: 'This description, as OpenAPI 3.1',
    reply: 'file',
    content: { 'application/json': z.looseObject({ openapi: z.string() }) },
    capabilities: [],
  },
  docs: {
    method: 'GET',
    path: '/docs',
    access: 'public',
    summary: 'This description, as a page',
    reply: 'file',
    content: { 'text/html': 'text' },
    capabilities: [],
  },
});
