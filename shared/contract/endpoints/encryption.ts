import * as z from 'zod';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment } from '../fields.ts';

export const encryptionModes = ['kms', 'customer'] as const;

export const Encryption = z.object({
  mode: z.enum(encryptionModes).describe('customer: the data keys of backups are wrapped by your passphrase'),
  keyId: z.string(),
  rewrap: z.enum(['idle', 'running']).describe('Whether keys of earlier backups are still being wrapped anew'),
  updatedAt: Moment.nullable(),
});

const manage = { role: 'admin', scope: 'organization:write' } as const;

export const encryption = group('encryption', `${apiPrefix}/organizations/current/encryption`, {
  get: {
    method: 'GET',
    path: '',
    access: { role: 'viewer', scope: 'organization:read' },
    summary: 'How the organization’s backups are encrypted',
    data: Encryption,
    capabilities: ['table:read', 'data-key:name'],
  },
  set: {
    method: 'PUT',
    path: '',
    access: manage,
    summary: 'Choose what wraps data keys; those of earlier backups are wrapped anew, their objects stay as they are',
    body: z.strictObject({
      mode: z.enum(encryptionModes),
      passphrase: z
        .string()
        .optional()
        .describe('With customer: at least 8 characters. Keep it: without it the backups stay closed'),
    }),
    data: Encryption,
    audit: 'encryption.changed',
    errors: ['FORBIDDEN'],
    capabilities: ['table:write', 'passphrase:seal', 'data-key:name'],
  },
  rotate: {
    method: 'POST',
    path: '/rotate',
    access: manage,
    summary: 'Wrap the data key of every backup anew under the present key',
    body: z.strictObject({}),
    bodyOptional: true,
    data: Encryption,
    status: 202,
    audit: 'encryption.rotated',
    idempotent: true,
    capabilities: ['table:write', 'data-key:name'],
  },
});
