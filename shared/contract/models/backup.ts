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
const waitReasons = ['quota', 'database', 'storage'] as const;
/** What a job that makes no progress waits for. */
export const WaitingFor = z.object({ reason: z.enum(waitReasons), since: Moment });
export const JobError = z.object({
  code: z.enum(jobErrors),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).default({}),
});
/** Collections that are not proven complete at a moment. `count` is null, and `complete` false, if the names are not all known. */
export const Lacking = z.object({
  collections: z.array(z.string()),
  count: z.int().nullable(),
  complete: z.boolean(),
  reason: z.string(),
});
export const Cost = z.object({ reads: z.int(), estimatedUsd: z.number() });
/** A problem found by a verification. */
export const Finding = z.object({
  object: z.string(),
  problem: z.enum(['missing', 'size', 'corrupt', 'unreadable', 'orphan', 'unlocked', 'hidden']),
  message: z.string(),
});
export const Verification = z.object({
  status: z.enum(['running', 'passed', 'failed']),
  depth: z.enum(verifyDepths),
  checkedAt: Moment,
  objects: z.int(),
  findings: z.array(Finding),
});

export const anomalyKinds = ['deleted', 'changed', 'added', 'entropy', 'schema'] as const;
/** Something unusual: a share of documents, and the range that the project's own history lets expect. */
export const AnomalyFinding = z.object({
  collection: z.string().nullable(),
  kind: z.enum(anomalyKinds),
  field: z.string().nullable(),
  observed: z.object({ documents: z.int(), total: z.int(), share: z.number() }),
  expected: z.object({ min: z.number(), max: z.number() }),
  message: z.string(),
});

/** Who started a job. */
export const Creator = z.object({
  type: z.enum(['user', 'service_account', 'system']),
  id: z.string(),
  email: z.string().nullable(),
});

/** The mark of a backup that differs from the project's history. It stays after a person has acknowledged it. */
export const Anomaly = z.object({
  detectedAt: Moment,
  source: z.enum(['backup', 'capture']),
  findings: z.array(AnomalyFinding),
  comparedWith: z.string().nullable(),
  keptBackupId: z.string().nullable(),
  before: z.string().nullable(),
  acknowledgedAt: Moment.nullable(),
  acknowledgedBy: Creator.nullable(),
  note: z.string().nullable(),
});

export const Backup = z.object({
  id: z.string(),
  projectId: z.string(),
  projectName: z.string().nullable(),
  type: z.enum(backupTypes),
  parentBackupId: z.string().nullable(),
  status: z.enum(backupStatuses),
  phase: z.enum(backupPhases),
  progress: Progress,
  waitingFor: WaitingFor.nullable(),
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
  lacks: z.object(Lacking.shape).optional(),
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
  anomaly: Anomaly.nullable(),
  lockedUntil: Moment.nullable(),
  immutableUntil: Moment.nullable(),
  lockProblem: z.object({ reason: z.string(), since: Moment }).optional(),
  expiresAt: Moment.nullable(),
  retentionPolicy: z.object({ daily: z.int(), weekly: z.int(), monthly: z.int(), yearly: z.int() }).optional(),
  createdBy: Creator.nullable(),
  createdAt: Moment,
  startedAt: Moment.nullable(),
  completedAt: Moment.nullable(),
  error: JobError.nullable(),
  objectsKept: z.object({ reason: z.string(), since: Moment }).optional(),
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

export const RestFields = z
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
  lacks: z.object(Lacking.shape).optional(),
  document: z.object({ before: BackupEntry.nullable(), after: BackupEntry.nullable() }).optional(),
  cost: Cost.optional(),
});
