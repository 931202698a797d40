/** Restores in API responses. */
import * as z from 'zod';
import { Moment } from '../fields.ts';
import { Cost, Creator, JobError, Lacking, Progress, WaitingFor } from './backup.ts';
import { RuleMatch, TransformPreview, TransformSummary } from './transform.ts';

export const mergeModes = ['overwrite', 'skip_existing', 'merge', 'rollback'] as const;
export type MergeMode = (typeof mergeModes)[number];
export const restoreStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
/** In order. A failed or cancelled job keeps its last phase. */
export const restorePhases = [
  'Initializing',
  'Downloading',
  'Decrypting',
  'Decompressing',
  'Validating',
  'Restoring',
  'Finalizing',
  'Completed',
] as const;
const historyStatuses = ['Success', 'Failed', 'In Progress'] as const;

/** "Skip Existing", "skip-existing" and "SKIP_EXISTING" are all skip_existing. */
export const MergeMode = z
  .preprocess(
    (given) => (typeof given === 'string' ? (mergeModes.find((mode) => bare(mode) === bare(given)) ?? given) : given),
    z.enum(mergeModes),
  )
  .meta({ type: 'string', enum: [...mergeModes] });
const bare = (text: string): string => text.toLowerCase().replace(/[\s_.-]+/g, '');

/** Number of documents by action. */
export const RestorePlan = z.object({
  create: z.int(),
  overwrite: z.int(),
  skip: z.int(),
  delete: z.int(),
  unchanged: z.int(),
  documentsErased: z.int(),
  notFound: z.array(z.string()),
  deletions: z.array(z.string()),
  deleteDigest: z.string(),
});

/** Requested names that the backup lacks. Each use has schemas and descriptions of its own. */
const missingNames = () => ({
  unknownCollections: z.array(z.string()),
  unknownCollectionsCount: z.int(),
  notFound: z.array(z.string()),
  notFoundCount: z.int(),
});

const action = z.enum(['create', 'overwrite', 'skip', 'delete']);

/** The plan of a job; jobs from before deletions were recorded lack them. */
export const JobPlan = RestorePlan.partial({ deletions: true, deleteDigest: true, documentsErased: true });

export const DryRun = RestorePlan.extend({
  ...missingNames(),
  dryRun: z.literal(true),
  backupId: z.string(),
  pointInTime: Moment.nullable(),
  partial: z.object(Lacking.shape).nullable(),
  projectId: z.string(),
  targetProjectId: z.string(),
  mergeMode: z.enum(mergeModes),
  readTime: z.string(),
  changes: z.array(z.object({ path: z.string(), action })),
  authUsers: z.object({ create: z.int(), overwrite: z.int(), skip: z.int() }).optional(),
  transform: TransformSummary.optional(),
  ruleMatches: z.array(RuleMatch).optional(),
  transformPreview: z.array(TransformPreview).optional(),
  cost: z.object(Cost.shape),
});

export const RestoreFailure = z.object({ path: z.string(), code: z.string(), message: z.string() });

export const RestoreJob = z.object({
  restoreJobId: z.string(),
  backupId: z.string(),
  pointInTime: Moment.nullable(),
  partial: z.object(Lacking.shape).nullable(),
  projectId: z.string(),
  projectName: z.string(),
  targetProjectId: z.string(),
  targetProjectName: z.string(),
  status: z.enum(restoreStatuses),
  phase: z.enum(restorePhases),
  mergeMode: z.enum(mergeModes),
  dryRun: z.boolean(),
  collections: z.array(z.string()),
  documentIds: z.array(z.string()).optional(),
  includeSubcollections: z.boolean(),
  includeAuthUsers: z.boolean(),
  progress: Progress,
  waitingFor: WaitingFor.nullable(),
  plan: JobPlan.nullable(),
  ...missingNames(),
  documentsRestored: z.int(),
  documentsUnchanged: z.int(),
  documentsDeleted: z.int(),
  documentsSkipped: z.int(),
  documentsFailed: z.int(),
  documentsErased: z.int(),
  failures: z.array(RestoreFailure),
  collectionsRestored: z.int(),
  authUsers: z.object({ restored: z.int(), deleted: z.int(), skipped: z.int(), failed: z.int() }).optional(),
  transform: TransformSummary.optional(),
  ruleMatches: z.array(RuleMatch).optional(),
  transformPreview: z.array(TransformPreview).optional(),
  cost: Cost.extend({ writes: z.int(), deletes: z.int() }),
  duration: z.int().nullable(),
  attempts: z.int(),
  safetyBackupId: z.string().nullable(),
  undoUntil: Moment.nullable(),
  undoOf: z.string().nullable(),
  undoneBy: z.string().nullable(),
  createdBy: Creator.nullable(),
  createdAt: Moment,
  startedAt: Moment.nullable(),
  completedAt: Moment.nullable(),
  error: JobError.nullable(),
});

export const RestoreHistory = z.object({
  restoreJobId: z.string(),
  date: Moment,
  backupId: z.string(),
  sourceBackup: z.object({ id: z.string(), createdAt: Moment }),
  pointInTime: Moment.nullable(),
  partial: z.object(Lacking.shape).nullable(),
  projectId: z.string(),
  projectName: z.string(),
  targetProjectId: z.string(),
  targetProject: z.object({ id: z.string(), name: z.string() }),
  status: z.enum(historyStatuses),
  jobStatus: z.enum(restoreStatuses),
  phase: z.enum(restorePhases),
  mergeMode: z.enum(mergeModes),
  dryRun: z.boolean(),
  collections: z.array(z.string()),
  documentIds: z.array(z.string()).optional(),
  documents: z.int(),
  documentsRestored: z.int(),
  documentsSkipped: z.int(),
  documentsFailed: z.int(),
  documentsErased: z.int(),
  transform: TransformSummary.optional(),
  ...missingNames(),
  duration: z.int().nullable(),
  undoUntil: Moment.nullable(),
  undoOf: z.string().nullable(),
  createdBy: Creator.nullable(),
  createdAt: Moment,
  completedAt: Moment.nullable(),
});
