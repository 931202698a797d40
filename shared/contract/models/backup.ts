/** Backups in API responses. */
import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';
import { backupStatuses, backupTriggers, backupTypes, verifyDepths } from '../job-enums.ts';
import { readUnits } from '../read-prices.ts';
import { storageTypes } from '../storage-types.ts';
import { encryptionModes } from './encryption.ts';
import { Cost, Creator, JobError, Lacking, Progress, WaitingFor } from './job.ts';

const backupPhases = ['queued', 'preparing', 'planning', 'copying', 'sealing', 'finished'] as const;

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
  percent: z.int(),
  findings: z.array(Finding),
});

export const anomalyKinds = ['deleted', 'changed', 'added', 'entropy', 'schema', 'configuration'] as const;
/** Something unusual: a share of documents, and the range that the project's own history lets expect. */
export const AnomalyFinding = z.object({
  collection: z.nullable(z.string()),
  kind: z.enum(anomalyKinds),
  field: z.nullable(z.string()),
  observed: z.object({ documents: z.int(), total: z.int(), share: z.number() }),
  expected: z.object({ min: z.number(), max: z.number() }),
  message: z.string(),
});

/** The mark of a backup that differs from the project's history. It stays after a person has acknowledged it. */
export const Anomaly = z.object({
  detectedAt: Moment,
  source: z.enum(['backup', 'capture']),
  findings: z.array(AnomalyFinding),
  comparedWith: z.nullable(z.string()),
  keptBackupId: z.nullable(z.string()),
  before: z.nullable(z.string()),
  acknowledgedAt: z.nullable(Moment),
  acknowledgedBy: z.nullable(Creator),
  note: z.nullable(z.string()),
});

export const Backup = z.object({
  id: z.string(),
  projectId: z.string(),
  projectName: z.nullable(ShownName),
  type: z.enum(backupTypes),
  parentBackupId: z.nullable(z.string()),
  status: z.enum(backupStatuses),
  phase: z.enum(backupPhases),
  progress: Progress,
  waitingFor: z.nullable(WaitingFor),
  trigger: z.enum(backupTriggers),
  scheduleId: z.nullable(z.string()),
  synthesizedFrom: z.optional(z.string()),
  fullBecause: z.optional(z.string()),
  source: z.optional(z.string()),
  builtFrom: z.nullable(z.enum(['changes', 'source'])),
  builtFromReason: z.optional(z.string()),
  readsBilled: z.int(),
  costIfRead: z.optional(Cost),
  auditedSince: z.nullable(z.string()),
  readTime: z.nullable(z.string()),
  size: z.int(),
  sizeFormatted: z.string(),
  originalSize: z.int(),
  duration: z.nullable(z.int()),
  storageDestination: z.object({ id: z.string(), name: ShownName, type: z.enum(storageTypes) }),
  path: z.string(),
  collections: z.array(z.string()),
  excludedCollections: z.array(z.string()),
  partial: z.optional(z.literal(true)),
  foreign: z.optional(z.literal(true)),
  lacks: z.optional(z.object(Lacking.shape)),
  unknownCollections: z.array(z.string()),
  documentCount: z.int(),
  collectionCounts: z.record(z.string(), z.int()),
  countVerified: z.nullable(z.boolean()),
  authUsers: z.optional(z.int()),
  cost: Cost,
  encryption: z.object({ mode: z.enum(encryptionModes), keyId: z.string() }),
  verification: z.nullable(Verification),
  verifiedAt: z.nullable(Moment),
  restoreTestedAt: z.nullable(Moment),
  anomaly: z.nullable(Anomaly),
  lockedUntil: z.nullable(Moment),
  immutableUntil: z.nullable(Moment),
  lockProblem: z.optional(z.object({ reason: z.string(), since: Moment })),
  expiresAt: z.nullable(Moment),
  retention: z.optional(z.int()),
  retentionPolicy: z.optional(z.object({ daily: z.int(), weekly: z.int(), monthly: z.int(), yearly: z.int() })),
  createdBy: z.nullable(Creator),
  createdAt: Moment,
  startedAt: z.nullable(Moment),
  completedAt: z.nullable(Moment),
  error: z.nullable(JobError),
  objectsKept: z.optional(z.object({ reason: z.string(), since: Moment })),
});

export const Estimate = z.object({
  documents: z.nullable(z.int()),
  bytes: z.nullable(z.int()),
  reads: z.nullable(z.int()),
  estimatedUsd: z.nullable(z.number()),
  builtFrom: z.enum(['changes', 'source']),
  builtFromReason: z.optional(z.string()),
  costIfRead: z.optional(Cost),
  readUnit: z.enum(readUnits),
  shards: z.int(),
  collections: z.array(z.string()),
  unknownCollections: z.array(z.string()),
});

export const DocumentFields = z
  .custom<Readonly<Record<string, unknown>>>((value) => typeof value === 'object' && value !== null)
  .check(z.meta({ type: 'object', additionalProperties: true }));

/** An entry of a browsed backup: a collection, or a document in the format of the Firestore REST API. */
export const BackupEntry = z.object({
  type: z.enum(['collection', 'document']),
  path: z.string(),
  id: z.string(),
  documents: z.optional(z.int()),
  name: z.optional(z.string()),
  fields: z.optional(DocumentFields),
  createTime: z.optional(z.string()),
  updateTime: z.optional(z.string()),
  missing: z.optional(z.literal(true)),
  fieldsTooLarge: z.optional(z.literal(true)),
});

/** Differences between two backups, or between a backup and the live database. */
export const Diff = z.object({
  against: z.string(),
  counts: z.object({ added: z.int(), changed: z.int(), removed: z.int(), unchanged: z.int() }),
  complete: z.boolean(),
  changes: z.array(z.object({ path: z.string(), change: z.enum(['added', 'changed', 'removed']) })),
  lacks: z.optional(z.object(Lacking.shape)),
  document: z.optional(z.object({ before: z.nullable(BackupEntry), after: z.nullable(BackupEntry) })),
  cost: z.optional(Cost),
});
