import * as z from 'zod';
import { scopes } from '../access.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment, Name } from '../fields.ts';

export const ServiceAccount = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  apiKey: z.string(),
  permissions: z.array(z.enum(scopes)),
  lastUsedAt: Moment.nullable(),
  createdAt: Moment,
});

const manage = { role: 'admin', scope: 'people-only' } as const;

export const serviceAccount = group('serviceAccount', `${apiPrefix}/organizations/current/service-account`, {
  get: {
    route: 'GET',
    access: manage,
    summary: 'Get the service account, without its key',
    data: ServiceAccount.omit({ apiKey: true }),
    errors: ['SERVICE_ACCOUNT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  create: {
    route: 'POST',
    access: manage,
    summary: 'Create the service account and its API key',
    body: z.strictObject({
      name: Name,
      permissions: z.array(z.enum(scopes)).max(scopes.length, `must have at most ${scopes.length} entries`).default([]),
    }),
    data: ServiceAccount.omit({ email: true, lastUsedAt: true }),
    status: 201,
    audit: 'service_account.created',
    errors: ['SERVICE_ACCOUNT_EXISTS'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  remove: {
    route: 'DELETE',
    access: manage,
    summary: 'Delete the service account; its key is revoked immediately',
    audit: 'service_account.deleted',
    errors: ['SERVICE_ACCOUNT_NOT_FOUND'],
    capabilities: ['table:write'],
  },
});
