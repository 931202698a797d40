import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { noBody } from '../fields.ts';
import { Encryption, encryptionModes } from '../models/encryption.ts';

const manage = { role: 'admin', scope: 'organization:write', projects: 'organization' } as const;

export const encryption = group('encryption', `${apiPrefix}/organizations/current/encryption`, {
  get: {
    route: 'GET',
    access: { role: 'viewer', scope: 'organization:read', projects: 'organization' },
    summary: 'Get the encryption settings of the organization',
    data: Encryption,
    capabilities: ['table:read', 'data-key:name'],
  },
  set: {
    route: 'PUT',
    access: manage,
    summary: 'Choose how data keys are wrapped. Keys of earlier backups are rewrapped; their objects do not change',
    body: z.strictObject({
      mode: z.enum(encryptionModes),
      passphrase: z.optional(z.string()),
    }),
    data: Encryption,
    audit: 'encryption.changed',
    errors: ['FORBIDDEN'],
    capabilities: ['table:write', 'passphrase:seal', 'data-key:name'],
  },
  rotate: {
    route: 'POST /rotate',
    access: manage,
    summary: 'Rewrap the data keys of all backups with the current key',
    ...noBody,
    data: Encryption,
    status: 202,
    location: `${apiPrefix}/organizations/current/encryption`,
    audit: 'encryption.rotated',
    idempotent: true,
    capabilities: ['table:write', 'data-key:name'],
  },
});
