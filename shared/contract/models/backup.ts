/** What a backup is, to whoever looks at it. */
import * as z from 'zod';
import { encryptionModes } from '../endpoints/encryption.ts';
import { jobErrors } from '../errors.ts';
import { Moment } from '../fields.ts';
import { storageTypes } from './storage-destination.ts';

export const backupTypes = ['full', 'incremental'] as const;
export const backupStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled', 'expired', 'deleted'] as const;
export const backupPhases = ['queued', 'preparing', 'planning', 'copying', 'sealing', 'finished'] as const;
export const backupTriggers = ['manual', 'scheduled', 'safety', 'pitr-base', 'import'] as const;
export const verifyDepths = ['structure', 'sample', 'full'] as const;

export const Progress = z.object({
  percent: z.int(),
  documents: z.int(),
  totalDocuments: z.int().nullable().describe('Null where the source does not count'),
});
export const JobError = z.object({
  code: z.enum(jobErrors),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export const Cost = z.object({ reads: z.int(), estimatedUsd: z.number() });
/** One thing that is wrong with a backup, and where. */
export const Finding = z.object({
  object: z.string(),
  problem: z.enum(['missing', 'size', 'corrupt', 'unreadable', 'orphan']),
  message: z.string(),
});
export const Verification = z.object({
  status: z.enum(['running', 'passed', 'failed']),
  depth: z.enum(verifyDepths),
  checkedAt: Moment,
  objects: z.int().describe('Objects looked at'),
  findings: z.array(Finding).describe('The first 100; an orphan is reported and does not fail the verification'),
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
  synthesizedFrom: z.string().optional().describe('Made of what this earlier backup holds, without reading the source'),
  fullBecause: z.string().optional().describe('Why it is full although an incremental one was scheduled'),
  source: z.string().optional().describe('Of an imported backup: where it came from, as told'),
  readTime: z.string().nullable().describe('The one moment that all of it shows'),
  size: z.int().describe('Bytes stored'),
  sizeFormatted: z.string(),
  originalSize: z.int().describe('Bytes of the documents as the source encodes them'),
  duration: z.int().nullable().describe('Milliseconds'),
  storageDestination: z.object({ id: z.string(), name: z.string(), type: z.enum(storageTypes) }),
  path: z.string().describe('Where its objects are, below the bucket'),
  collections: z.array(z.string()),
  excludedCollections: z.array(z.string()),
  partial: z
    .literal(true)
    .optional()
    .describe(
      'It holds single documents, as a safety backup does, or does not tell what it was to hold: it cannot be rolled back to, and a comparison is of the documents that it names',
    ),
  unknownCollections: z.array(z.string()).describe('Named in the request, not in the source'),
  documentCount: z.int(),
  collectionCounts: z.record(z.string(), z.int()).describe('Documents by collection id; the 1,000 largest'),
  countVerified: z.boolean().nullable().describe('False if the source does not count'),
  authUsers: z.int().optional().describe('Users of Firebase Authentication in the backup'),
  cost: Cost,
  encryption: z.object({ mode: z.enum(encryptionModes), keyId: z.string() }),
  verification: Verification.nullable(),
  verifiedAt: Moment.nullable(),
  restoreTestedAt: Moment.nullable(),
  lockedUntil: Moment.nullable(),
  expiresAt: Moment.nullable().describe(
    'When its retention ends. It stays as long as another backup or a point in time needs it',
  ),
  retentionPolicy: z
    .object({ daily: z.int(), weekly: z.int(), monthly: z.int(), yearly: z.int() })
    .optional()
    .describe('Of a schedule that keeps by days, weeks, months and years instead'),
  createdAt: Moment,
  startedAt: Moment.nullable(),
  completedAt: Moment.nullable(),
  error: JobError.nullable(),
});

export const Estimate = z.object({
  documents: z.int().nullable(),
  bytes: z
    .int()
    .nullable()
    .describe(
      'About, from a sample of documents; of an incremental backup those written since its parent, 0 if the sample has none',
    ),
  reads: z.int().nullable(),
  estimatedUsd: z.number().nullable(),
  shards: z.int(),
  collections: z.array(z.string()),
  unknownCollections: z.array(z.string()),
});

const RestFields = z
  .custom<Readonly<Record<string, unknown>>>((value) => typeof value === 'object' && value !== null)
  .meta({ type: 'object', additionalProperties: true });

/** A part of a backup's contents: a document in the REST form, or a collection. */
export const BackupEntry = z.object({
  type: z.enum(['collection', 'document']),
  path: z.string(),
  id: z.string(),
  documents: z
    .int()
    .optional()
    .describe('Of a collection: the documents right in it. Left out where it is too large to be counted for one answer'),
  name: z.string().optional().describe('Of a document: its full name in the source'),
  fields: RestFields.optional().describe('Of a document, in the form of the Firestore REST API'),
  createTime: z.string().optional(),
  updateTime: z.string().optional(),
  missing: z.literal(true).optional().describe('With showMissing: there is no such document, but there are collections below it'),
  fieldsTooLarge: z
    .literal(true)
    .optional()
    .describe('The fields are too large, as JSON, for one answer; the archive command gives them'),
});

/** What changed from one state of a database to another. */
export const Diff = z.object({
  against: z.string(),
  counts: z
    .object({ added: z.int(), changed: z.int(), removed: z.int(), unchanged: z.int() })
    .describe('Documents. One that was written again with the same fields is unchanged'),
  complete: z.boolean().describe('False if the counts cover what was compared so far; they grow with the next pages'),
  changes: z.array(z.object({ path: z.string(), change: z.enum(['added', 'changed', 'removed']) })),
  cost: Cost.optional().describe('With live: what the comparison was billed by the source so far, pages before included'),
});
