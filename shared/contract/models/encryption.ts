import * as z from 'zod/mini';
import { Moment } from '../fields.ts';

export const encryptionModes = ['kms', 'customer'] as const;

export const Encryption = z.object({
  mode: z.enum(encryptionModes),
  keyId: z.string(),
  rewrap: z.enum(['idle', 'running']),
  updatedAt: z.nullable(Moment),
});
