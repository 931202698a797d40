import * as z from 'zod';
import { apiPrefix, group } from '../endpoint.ts';
import { Encryption, encryptionModes } from '../models/encryption.ts';

const manage = { role: 'admin', scope: 'organization:write' } as const;

export const encryption = group('encryption', `${apiPrefix}/organizations/current/encryption`, {
  get: {
    method: 'GET',
    path: '',
    access: { role: 'viewer', scope: 'organization:read' },
    summary: 'Get the encryption settings of the organization',
    data: Encryption,
    capabilities: ['table:read', 'data-key:name'],
  },
  set: {
    method: 'PUT',
    path: '',
    access: manage,
    summary: 'Choose how data keys are wrapped. Keys of earlier backups are rewrapped; their objects do not change',
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
    summary: 'Rewrap the data keys of all backups with the current key',
    body: z.strictObject({}),
    bodyOptional: true,
    data: Encryption,
    status: 202,
    audit: 'encryption.rotated',
    idempotent: true,
    capabilities: ['table:write', 'data-key:name'],
  },
});
