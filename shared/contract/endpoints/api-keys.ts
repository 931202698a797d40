import * as z from 'zod/mini';
import { readScopes } from '../access.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { overlapField } from '../fields.ts';
import { apiKeyDays, apiKeyDaysMax } from '../limits.ts';
import { ApiKey, ApiKeyWithSecret, apiKeyFields } from '../models/api-key.ts';

const manage = { role: 'admin', scope: 'people-only' } as const;

export const apiKeys = group('apiKeys', `${apiPrefix}/organizations/current/api-keys`, {
  list: {
    route: 'GET',
    access: manage,
    summary: 'List API keys, newest first, without their secret text. The service account is not among them',
    list: ApiKey,
    capabilities: ['table:read'],
  },
  create: {
    route: 'POST',
    access: manage,
    summary: 'Create an API key: it does what its role and its permissions both allow. Its text is shown only once',
    note: `A key expires ${apiKeyDays} days after it was created unless expiresAt says otherwise, and ${apiKeyDaysMax} days after it at the latest.`,
    body: z.strictObject({
      ...apiKeyFields,
      role: z._default(apiKeyFields.role, 'viewer'),
      permissions: z._default(apiKeyFields.permissions, readScopes),
      projectIds: z._default(apiKeyFields.projectIds, null),
      allowedAddresses: z._default(apiKeyFields.allowedAddresses, null),
      expiresAt: z.optional(apiKeyFields.expiresAt),
    }),
    data: ApiKeyWithSecret,
    status: 201,
    location: `${apiPrefix}/organizations/current/api-keys/{id}`,
    audit: 'api_key.created',
    errors: ['CONFLICT'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  get: {
    route: 'GET /{apiKeyId}',
    access: manage,
    summary: 'Get an API key, without its secret text',
    data: ApiKey,
    errors: ['API_KEY_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  update: {
    route: 'PATCH /{apiKeyId}',
    access: manage,
    summary: 'Update an API key; only the given fields change, from the next call on. Its text stays the same',
    body: z.strictObject(z.partial(z.object(apiKeyFields)).shape),
    data: ApiKey,
    audit: 'api_key.updated',
    errors: ['API_KEY_NOT_FOUND'],
    capabilities: ['table:write'],
  },
  rotate: {
    route: 'POST /{apiKeyId}/rotate',
    access: manage,
    summary: 'Rotate an API key. The new text is shown only once; the old one also works for overlapHours',
    body: z.strictObject({ overlapHours: overlapField(), expiresAt: z.optional(apiKeyFields.expiresAt) }),
    bodyOptional: true,
    data: ApiKeyWithSecret,
    audit: 'api_key.rotated',
    errors: ['API_KEY_NOT_FOUND'],
    idempotent: true,
    destructive: true,
    capabilities: ['table:write'],
  },
  remove: {
    route: 'DELETE /{apiKeyId}',
    access: manage,
    summary: 'Delete an API key; it is refused from the next call on',
    audit: 'api_key.deleted',
    errors: ['API_KEY_NOT_FOUND'],
    capabilities: ['table:write'],
  },
});
