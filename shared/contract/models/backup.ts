/** Backups in API responses. */
import * as z from 'zod';
import { jobErrors } from '../errors.ts';
import { Moment } from '../fields.ts';
import { encryptionModes } from './encryption.ts';
import { storageTypes } from './storage-destination.ts';

export const backupTypes = ['full', 'incremental'] as const;
export const backupStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled', 'expired', 'deleted'] as const;
const backupPhases = ['queued', 'preparing', 'planning', 'copying', 'sealing', 'finished'] as const;
export const backupTriggers = ['manual', 'scheduled', 'safety', 'pitr-base', 'import'] as const;
export const verifyDepths = ['structure', 'sample', 'full'] as const;

export const Progress = z.object({ percent: z.int(), documents: z.int(), totalDocuments: z.int().nullable() });
export const JobError = z.object({
  code: z.enum(jobErrors),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export const Cost = z.object({ reads: z.int(), estimatedUsd: z.number() });
/** A problem found by a verification. */
export const Finding = z.object({
  object: z.string(),
  problem: z.enum(['missing', 'size', 'corrupt', 'unreadable', 'orphan']),
  message: z.string(),
});
export const Verification = z.object({
  status: z.enum(['running', 'passed', 'failed']),
  depth: z.enum(verifyDepths),
  checkedAt: Moment,
  objects: z.int(),
  findings: z.array(Finding),
});

export const Backup = z.object({
  id: z.string(),
  projectId: z.string(),
  type: z.enum(backupTypes),
  parentBackupId: z.string().nullable(),
  status: z.enum(backupStatuses),
  phase: z.enum(backupPhases),
  progress: Progress,
  trigger: z.enum(backupTriggers),
  scheduleId: z.string().nullable(),
  synthesizedFrom: z.string().optional(),
  fullBecause: z.string().optional(),
  source: z.string().optional(),
  readTime: z.string().nullable(),
  size: z.int(),
  sizeFormatted: z.string(),
  originalSize: z.int(),
  duration: z.int().nullable(),
  storageDestination: z.object({ id: z.string(), name: z.string(), type: z.enum(storageTypes) }),
  path: z.string(),
  collections: z.array(z.string()),
  excludedCollections: z.array(z.string()),
  partial: z.literal(true).optional(),
  unknownCollections: z.array(z.string()),
  documentCount: z.int(),
  collectionCounts: z.record(z.string(), z.int()),
  countVerified: z.boolean().nullable(),
  authUsers: z.int().optional(),
  cost: Cost,
  encryption: z.object({ mode: z.enum(encryptionModes), keyId: z.string() }),
  verification: Verification.nullable(),
  verifiedAt: Moment.nullable(),
  restoreTestedAt: Moment.nullable(),
  lockedUntil: Moment.nullable(),
  expiresAt: Moment.nullable(),
  retentionPolicy: z.object({ daily: z.int(), weekly: z.int(), monthly: z.int(), yearly: z.int() }).optional(),
  createdAt: Moment,
  startedAt: Moment.nullable(),
  completedAt: Moment.nullable(),
  error: JobError.nullable(),
});

export const Estimate = z.object({
  documents: z.int().nullable(),
  bytes: z.int().nullable(),
  reads: z.int().nullable(),
  estimatedUsd: z.number().nullable(),
  shards: z.int(),
  collections: z.array(z.string()),
  unknownCollections: z.array(z.string()),
});

const RestFields = z
  .custom<Readonly<Record<string, unknown>>>((value) => typeof value === 'object' && value !== null)
  .meta({ type: 'object', additionalProperties: true });

/** An entry of a browsed backup: a collection, or a document in the format of the Firestore REST API. */
export const BackupEntry = z.object({
  type: z.enum(['collection', 'document']),
  path: z.string(),
  id: z.string(),
  documents: z.int().optional(),
  name: z.string().optional(),
  fields: RestFields.optional(),
  createTime: z.string().optional(),
  updateTime: z.string().optional(),
  missing: z.literal(true).optional(),
  fieldsTooLarge: z.literal(true).optional(),
});

/** Differences between two backups, or between a backup and the live database. */
export const Diff = z.object({
  against: z.string(),
  counts: z.object({ added: z.int(), changed: z.int(), removed: z.int(), unchanged: z.int() }),
  complete: z.boolean(),
  changes: z.array(z.object({ path: z.string(), change: z.enum(['added', 'changed', 'removed']) })),
  cost: Cost.optional(),
});
