import * as z from 'zod';
import { apiPrefix, group } from '../endpoint.ts';
import { Encryption, encryptionModes } from '../models/encryption.ts';

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
      passphrase: z.string().optional(),
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
