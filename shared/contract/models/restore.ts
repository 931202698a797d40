/** What a restore is, to whoever looks at it. */
import * as z from 'zod';
import { Moment } from '../fields.ts';
import { Cost, JobError, Progress } from './backup.ts';

export const mergeModes = ['overwrite', 'skip_existing', 'merge', 'rollback'] as const;
export type MergeMode = (typeof mergeModes)[number];
export const restoreStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
/** In the order they come. A job that failed or was cancelled stays in the phase it had reached. */
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
export const historyStatuses = ['Success', 'Failed', 'In Progress'] as const;

/** "Skip Existing", "skip-existing" and "SKIP_EXISTING" are all skip_existing. */
export const MergeMode = z
  .preprocess(
    (given) => (typeof given === 'string' ? (mergeModes.find((mode) => bare(mode) === bare(given)) ?? given) : given),
    z.enum(mergeModes),
  )
  .meta({ type: 'string', enum: [...mergeModes], description: 'Also by its human name, such as "Skip Existing"' });
const bare = (text: string): string => text.toLowerCase().replace(/[\s_.-]+/g, '');

/** What a restore does, or would do, to the documents of its target. */
export const RestorePlan = z.object({
  create: z.int().describe('Not in the target: written'),
  overwrite: z.int().describe('In the target with other fields: replaced or, with merge, merged into'),
  skip: z.int().describe('In the target, and kept as they are (skip_existing)'),
  delete: z
    .int()
    .describe(
      'In the target and not in the backup: deleted (rollback, and undo). Documents below others are left alone, and not counted, if their collections may have been there unnoticed at the point in time',
    ),
  unchanged: z.int().describe('In the target as they would be after the restore: not written'),
  notFound: z
    .array(z.string())
    .describe('Asked for by name, and not in the backup: document paths and ids, collections; the first 1,000'),
});

const action = z.enum(['create', 'overwrite', 'skip', 'delete']);

export const DryRun = RestorePlan.extend({
  dryRun: z.literal(true),
  backupId: z.string().describe('With pointInTime, the backup that the moment is made of'),
  pointInTime: Moment.nullable().describe(
    'The moment that is restored, if not that of a backup: a second that was asked for or, where that is not known, the last moment before that is',
  ),
  projectId: z.string(),
  targetProjectId: z.string(),
  mergeMode: z.enum(mergeModes),
  readTime: z.string().describe('When the target was looked at'),
  changes: z.array(z.object({ path: z.string(), action })).describe('The first 100 documents that are not left unchanged'),
  authUsers: z.object({ create: z.int(), overwrite: z.int(), skip: z.int() }).optional(),
  cost: Cost.describe('What looking at the target was billed by it'),
});

export const RestoreFailure = z.object({ path: z.string(), code: z.string(), message: z.string() });

export const RestoreJob = z.object({
  restoreJobId: z.string(),
  backupId: z.string().describe('With pointInTime, the backup that is made of that moment first; it is there once it is made'),
  pointInTime: Moment.nullable().describe(
    'The moment that is restored, if not that of a backup: a second that was asked for or, where that is not known, the last moment before that is',
  ),
  projectId: z.string().describe('Of the backup'),
  targetProjectId: z.string(),
  status: z.enum(restoreStatuses),
  phase: z.enum(restorePhases),
  mergeMode: z.enum(mergeModes),
  dryRun: z.boolean().describe('It only plans: the target was too large to be looked at within the call'),
  collections: z.array(z.string()),
  documentIds: z.array(z.string()).optional().describe('As they were given; the first 100'),
  includeSubcollections: z.boolean(),
  includeAuthUsers: z.boolean(),
  progress: Progress,
  plan: RestorePlan.nullable().describe('Null until all of it was looked at; nothing is written before'),
  documentsRestored: z
    .int()
    .describe('In the target as the backup has them: acknowledged by the target, or found unchanged in it'),
  documentsUnchanged: z.int().describe('Of those restored: they needed no write'),
  documentsDeleted: z.int(),
  documentsSkipped: z.int(),
  documentsFailed: z.int(),
  failures: z.array(RestoreFailure).describe('The first 100'),
  collectionsRestored: z.int().describe('Collections in which documents were restored, by their ids'),
  authUsers: z.object({ restored: z.int(), deleted: z.int(), skipped: z.int(), failed: z.int() }).optional(),
  cost: Cost.extend({ writes: z.int(), deletes: z.int() }),
  duration: z.int().nullable().describe('Seconds'),
  attempts: z.int().describe('1, and one more for each time it was resumed'),
  safetyBackupId: z
    .string()
    .nullable()
    .describe('Holds what was in the target before; null before it is stored, and without safetyBackup'),
  undoUntil: Moment.nullable(),
  undoOf: z.string().nullable().describe('The restore that this one takes back'),
  undoneBy: z.string().nullable().describe('The restore that took this one back'),
  createdAt: Moment,
  startedAt: Moment.nullable(),
  completedAt: Moment.nullable(),
  error: JobError.nullable(),
});

/** One line of the history. */
export const RestoreHistory = z.object({
  restoreJobId: z.string(),
  date: Moment,
  backupId: z.string(),
  sourceBackup: z.object({ id: z.string(), createdAt: Moment }),
  pointInTime: Moment.nullable(),
  projectId: z.string(),
  targetProjectId: z.string(),
  targetProject: z.object({ id: z.string(), name: z.string() }),
  status: z.enum(historyStatuses),
  jobStatus: z.enum(restoreStatuses),
  phase: z.enum(restorePhases),
  mergeMode: z.enum(mergeModes),
  dryRun: z.boolean(),
  documents: z.int(),
  documentsRestored: z.int(),
  documentsSkipped: z.int(),
  documentsFailed: z.int(),
  duration: z.int().nullable().describe('Seconds'),
  undoUntil: Moment.nullable(),
  undoOf: z.string().nullable(),
  createdAt: Moment,
  completedAt: Moment.nullable(),
});
