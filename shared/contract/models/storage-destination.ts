import * as z from 'zod';
import { Moment } from '../fields.ts';

export const storageTypes = ['s3', 'gcs', 'spaces'] as const;
export type StorageType = (typeof storageTypes)[number];

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
  days: z.int('must be a whole number').min(1, 'must be at least 1').max(36_500, 'must be at most 36500'),
});

export const StorageDestination = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(storageTypes),
  bucket: z.string(),
  prefix: z.string(),
  region: z.string().nullable(),
  endpoint: z.string().nullable(),
  credentials: z.record(z.string(), z.string()),
  workloadIdentity: z.object({ audience: z.string(), serviceAccountEmail: z.string().optional() }).optional(),
  externalId: z.string().optional(),
  immutable: z.boolean(),
  objectLock: ObjectLock.nullable(),
  sse: z.enum(sseAlgorithms).nullable(),
  sseKmsKeyId: z.string().nullable(),
  status: z.enum(['connected', 'error']),
  lastError: z
    .object({
      at: Moment.nullable(),
      step: z.string().nullable(),
      kind: z.enum(storageFailureKinds).nullable(),
      message: z.string(),
    })
    .nullable(),
  lastTestedAt: Moment.nullable(),
  createdAt: Moment,
  updatedAt: Moment,
});
