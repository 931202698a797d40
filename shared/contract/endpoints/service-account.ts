import * as z from 'zod/mini';
import { readScopes, scopes } from '../access.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment, Name, overlapField, ShownName } from '../fields.ts';
import { Permissions } from '../models/api-key.ts';

export const ServiceAccount = z.object({
  id: z.string(),
  name: ShownName,
  email: z.string(),
  apiKey: z.string(),
  permissions: z.array(z.enum(scopes)),
  lastUsedAt: z.nullable(Moment),
  createdAt: Moment,
  createdBy: z.nullable(z.string()),
  status: z.enum(['active', 'ended']),
  previousKeyExpiresAt: z.nullable(Moment),
});

const manage = { role: 'admin', scope: 'people-only' } as const;

export const serviceAccount = group('serviceAccount', `${apiPrefix}/organizations/current/service-account`, {
  get: {
    route: 'GET',
    access: manage,
    summary: 'Get the service account, without its key',
    data: z.omit(ServiceAccount, { apiKey: true }),
    errors: ['SERVICE_ACCOUNT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  create: {
    route: 'POST',
    access: manage,
    summary: 'Create the service account and its API key, which is shown only once',
    body: z.strictObject({
      name: Name,
      permissions: z._default(Permissions, readScopes),
    }),
    data: z.pick(ServiceAccount, { id: true, name: true, apiKey: true, permissions: true, createdAt: true }),
    status: 201,
    location: `${apiPrefix}/organizations/current/service-account`,
    audit: 'service_account.created',
    errors: ['SERVICE_ACCOUNT_EXISTS'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  update: {
    route: 'PATCH',
    access: manage,
    summary: 'Update the name or permissions of the service account; its key stays the same',
    body: z.strictObject({ name: z.optional(Name), permissions: z.optional(Permissions) }),
    data: z.omit(ServiceAccount, { apiKey: true }),
    audit: 'service_account.updated',
    errors: ['SERVICE_ACCOUNT_NOT_FOUND'],
    capabilities: ['table:write'],
  },
  rotateKey: {
    route: 'POST /rotate-key',
    access: manage,
    summary: 'Rotate the API key. The new key is shown only once; the old one also works for overlapHours',
    body: z.strictObject({ overlapHours: overlapField() }),
    bodyOptional: true,
    data: z.pick(ServiceAccount, {
      id: true,
      name: true,
      apiKey: true,
      permissions: true,
      createdAt: true,
      createdBy: true,
      previousKeyExpiresAt: true,
    }),
    audit: 'service_account.key_rotated',
    errors: ['SERVICE_ACCOUNT_NOT_FOUND'],
    idempotent: true,
    destructive: true,
    capabilities: ['table:write'],
  },
  takeOver: {
    route: 'POST /take-over',
    access: manage,
    summary: 'Take over the service account: its key no longer ends when the user who created it leaves',
    body: z.strictObject({}),
    bodyOptional: true,
    data: z.omit(ServiceAccount, { apiKey: true }),
    audit: 'service_account.taken_over',
    errors: ['SERVICE_ACCOUNT_NOT_FOUND', 'CONFLICT'],
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
