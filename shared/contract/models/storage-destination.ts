import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';
import { storageTypes } from '../storage-types.ts';

/** Server-side encryption with keys of the store or of KMS. */
export const sseAlgorithms = ['AES256', 'aws:kms'] as const;
export type SseAlgorithm = (typeof sseAlgorithms)[number];

/**
 * Why a store failed:
 * - `denied`: the credentials are unknown or lack a permission
 * - `missing`: the object or the bucket does not exist
 * - `invalid`: the store, its configuration or its response is not as required
 * - `unavailable`: no response, or a transient error, after all retries
 */
export const storageFailureKinds = ['denied', 'missing', 'invalid', 'unavailable'] as const;
export type StorageFailureKind = (typeof storageFailureKinds)[number];

export const ObjectLock = z.strictObject({
  mode: z.enum(['governance', 'compliance']),
  days: z.int('must be a whole number').check(z.minimum(1, 'must be at least 1'), z.maximum(36_500, 'must be at most 36500')),
});

export const StorageDestination = z.object({
  id: z.string(),
  name: ShownName,
  type: z.enum(storageTypes),
  bucket: z.string(),
  prefix: z.string(),
  region: z.nullable(z.string()),
  endpoint: z.nullable(z.string()),
  credentials: z.record(z.string(), z.string()),
  workloadIdentity: z.optional(z.object({ audience: z.string(), serviceAccountEmail: z.optional(z.string()) })),
  externalId: z.optional(z.string()),
  immutable: z.boolean(),
  objectLock: z.nullable(ObjectLock),
  sse: z.nullable(z.enum(sseAlgorithms)),
  sseKmsKeyId: z.nullable(z.string()),
  status: z.enum(['connected', 'error']),
  lastError: z.nullable(
    z.object({
      at: z.nullable(Moment),
      step: z.nullable(z.string()),
      kind: z.nullable(z.enum(storageFailureKinds)),
      message: z.string(),
    }),
  ),
  lastTestedAt: z.nullable(Moment),
  createdAt: Moment,
  updatedAt: Moment,
});
