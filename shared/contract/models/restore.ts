/** Restores in API responses. */
import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';
import { restorePhases, restoreStatuses } from '../job-enums.ts';
import { Finding } from './backup.ts';
import { Cost, Creator, JobError, Lacking, Progress, WaitingFor } from './job.ts';
import { DivergedPeriod } from './pitr.ts';
import { RuleMatch, TransformPreview, TransformSummary } from './transform.ts';

export const mergeModes = ['overwrite', 'skip_existing', 'merge', 'rollback'] as const;
export type MergeMode = (typeof mergeModes)[number];
const historyStatuses = ['Success', 'Failed', 'In Progress'] as const;

/** "Skip Existing", "skip-existing" and "SKIP_EXISTING" are all skip_existing. */
export const MergeMode = z
  .pipe(
    z.transform((given) =>
      typeof given === 'string' ? (mergeModes.find((mode) => bare(mode) === bare(given)) ?? given) : given,
    ),
    z.enum(mergeModes),
  )
  .check(z.meta({ type: 'string', enum: [...mergeModes] }));
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
export const JobPlan = z.partial(RestorePlan, { deletions: true, deleteDigest: true, documentsErased: true });

export const DryRun = z.extend(RestorePlan, {
  ...missingNames(),
  dryRun: z.literal(true),
  backupId: z.string(),
  pointInTime: z.nullable(Moment),
  partial: z.nullable(z.object(Lacking.shape)),
  diverged: z.nullable(z.object(DivergedPeriod.shape)),
  projectId: z.string(),
  targetProjectId: z.string(),
  mergeMode: z.enum(mergeModes),
  readTime: z.string(),
  changes: z.array(z.object({ path: z.string(), action })),
  authUsers: z.optional(z.object({ create: z.int(), overwrite: z.int(), skip: z.int() })),
  transform: z.optional(TransformSummary),
  ruleMatches: z.optional(z.array(RuleMatch)),
  transformPreview: z.optional(z.array(TransformPreview)),
  cost: z.object(Cost.shape),
});

export const RestoreFailure = z.object({ path: z.string(), code: z.string(), message: z.string() });

export const RestoreJob = z.object({
  restoreJobId: z.string(),
  backupId: z.string(),
  pointInTime: z.nullable(Moment),
  partial: z.nullable(z.object(Lacking.shape)),
  diverged: z.nullable(z.object(DivergedPeriod.shape)),
  projectId: z.string(),
  projectName: ShownName,
  targetProjectId: z.string(),
  targetProjectName: ShownName,
  status: z.enum(restoreStatuses),
  phase: z.enum(restorePhases),
  mergeMode: z.enum(mergeModes),
  dryRun: z.boolean(),
  collections: z.array(z.string()),
  documentIds: z.optional(z.array(z.string())),
  includeSubcollections: z.boolean(),
  includeAuthUsers: z.boolean(),
  progress: Progress,
  waitingFor: z.nullable(WaitingFor),
  cancelling: z.boolean(),
  plan: z.nullable(JobPlan),
  ...missingNames(),
  documentsRestored: z.int(),
  documentsUnchanged: z.int(),
  documentsDeleted: z.int(),
  documentsSkipped: z.int(),
  documentsFailed: z.int(),
  documentsErased: z.int(),
  failures: z.array(RestoreFailure),
  findings: z.array(Finding),
  findingsCount: z.int(),
  collectionsRestored: z.int(),
  authUsers: z.optional(z.object({ restored: z.int(), deleted: z.int(), skipped: z.int(), failed: z.int() })),
  transform: z.optional(TransformSummary),
  ruleMatches: z.optional(z.array(RuleMatch)),
  transformPreview: z.optional(z.array(TransformPreview)),
  cost: z.extend(Cost, { writes: z.int(), deletes: z.int() }),
  duration: z.nullable(z.int()),
  attempts: z.int(),
  safetyBackupId: z.nullable(z.string()),
  undoUntil: z.nullable(Moment),
  undoOf: z.nullable(z.string()),
  undoneBy: z.nullable(z.string()),
  createdBy: z.nullable(Creator),
  createdAt: Moment,
  startedAt: z.nullable(Moment),
  completedAt: z.nullable(Moment),
  error: z.nullable(JobError),
});

export const RestoreHistory = z.object({
  restoreJobId: z.string(),
  date: Moment,
  backupId: z.string(),
  sourceBackup: z.object({ id: z.string(), createdAt: Moment }),
  pointInTime: z.nullable(Moment),
  partial: z.nullable(z.object(Lacking.shape)),
  projectId: z.string(),
  projectName: ShownName,
  targetProjectId: z.string(),
  targetProject: z.object({ id: z.string(), name: ShownName }),
  status: z.enum(historyStatuses),
  jobStatus: z.enum(restoreStatuses),
  phase: z.enum(restorePhases),
  mergeMode: z.enum(mergeModes),
  dryRun: z.boolean(),
  collections: z.array(z.string()),
  documentIds: z.optional(z.array(z.string())),
  documents: z.int(),
  documentsRestored: z.int(),
  documentsUnchanged: z.int(),
  documentsDeleted: z.int(),
  documentsSkipped: z.int(),
  documentsFailed: z.int(),
  documentsErased: z.int(),
  findingsCount: z.int(),
  transform: z.optional(TransformSummary),
  ...missingNames(),
  duration: z.nullable(z.int()),
  undoUntil: z.nullable(Moment),
  undoOf: z.nullable(z.string()),
  undoneBy: z.nullable(z.string()),
  createdBy: z.nullable(Creator),
  createdAt: Moment,
  completedAt: z.nullable(Moment),
});
