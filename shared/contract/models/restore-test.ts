/** Restore tests in API responses: plans, and one run for each project tested. */
import * as z from 'zod';
import { Moment } from '../fields.ts';
import { Creator, JobError } from './backup.ts';

export const backupPicks = ['latest', 'random', 'moment'] as const;
export const restoreTestStatuses = ['pending', 'running', 'passed', 'failed', 'cancelled'] as const;
export type RestoreTestStatus = (typeof restoreTestStatuses)[number];
/** In order; a run skips those that do not apply to it. */
export const restoreTestPhases = [
  'queued',
  'choosing',
  'restoring',
  'reading',
  'comparing',
  'checking',
  'removing',
  'recording',
  'finished',
] as const;
export type RestoreTestPhase = (typeof restoreTestPhases)[number];
const restoreTestTriggers = ['scheduled', 'manual'] as const;
export const checkResults = ['pass', 'fail'] as const;

/** `days` is set for `random` only. */
const BackupChoice = z.object({ pick: z.enum(backupPicks), days: z.int().optional() });
/** `documentsPerCollection` is set for `sample` only. */
const Scope = z.object({ type: z.enum(['all', 'sample']), documentsPerCollection: z.int().optional() });
const Target = z.object({ projectId: z.string() });

/** How the last run of a plan ended. Runs of several projects that began together are one. */
const LastOutcome = z.object({
  status: z.enum(['passed', 'failed', 'cancelled', 'missed']),
  at: Moment,
  runId: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});

export const RestoreTest = z.object({
  id: z.string(),
  name: z.string(),
  projectId: z.string().nullable(),
  cron: z.string(),
  timezone: z.string(),
  backup: BackupChoice,
  scope: Scope,
  target: Target.nullable(),
  check: z.object({ url: z.string(), secret: z.string().nullable(), timeoutSeconds: z.int() }).nullable(),
  enabled: z.boolean(),
  nextRunAt: Moment.nullable(),
  lastRunAt: Moment.nullable(),
  lastOutcome: LastOutcome.nullable(),
  createdBy: z.object({ id: z.string(), email: z.string().nullable() }),
  createdAt: Moment,
  updatedAt: Moment,
});

/** What the archive, or the target, was compared with: `index`, `source` and `target` each have one. */
export const Comparison = z.object({
  compared: z.boolean(),
  /** Why it was not compared, or not completely. */
  reason: z.string().nullable(),
  readTime: z.string().nullable(),
  documents: z.int(),
  collections: z.int(),
  /** Documents compared of those in the archive, from 0 to 1. */
  share: z.number(),
  /** Documents that differ. */
  differences: z.int(),
});

export const differenceKinds = ['missing', 'changed', 'unexpected', 'unreadable', 'not_removed'] as const;

/** `against` is what the archive was compared with. An object of the archive takes the place of a path. */
export const Difference = z.object({
  path: z.string(),
  kind: z.enum(differenceKinds),
  against: z.enum(['index', 'source', 'target']),
  message: z.string(),
});

/** The first differences; `total` counts all. */
export const Differences = z.object({ total: z.int(), items: z.array(Difference) });

/** What a test does not prove although it found nothing wrong. */
export const testWarnings = ['SOURCE_NOT_COMPARED', 'SOURCE_PARTLY_COMPARED', 'NO_DOCUMENTS'] as const;
export const TestWarning = z.object({ code: z.enum(testWarnings), message: z.string() });

const CheckState = z.object({
  status: z.enum(['waiting', 'passed', 'failed', 'timeout']),
  message: z.string().nullable(),
  requestedAt: Moment.nullable(),
  answeredAt: Moment.nullable(),
  timeoutSeconds: z.int(),
});

/** Whether only what the test wrote was removed from the target, and the target is as it was before. */
const Removal = z.object({
  status: z.enum(['pending', 'verified', 'failed', 'nothing_written']),
  undoJobId: z.string().nullable(),
  documents: z.int(),
  message: z.string().nullable(),
});

export const RestoreTestRun = z.object({
  id: z.string(),
  restoreTestId: z.string(),
  name: z.string(),
  trigger: z.enum(restoreTestTriggers),
  scheduledFor: Moment.nullable(),
  projectId: z.string(),
  projectName: z.string(),
  status: z.enum(restoreTestStatuses),
  phase: z.enum(restoreTestPhases),
  progress: z.object({ percent: z.int(), documents: z.int(), totalDocuments: z.int().nullable() }),
  backup: BackupChoice,
  /** `seed` and `candidates` let anyone repeat the choice; null until it is made. */
  choice: z.object({ seed: z.string(), candidates: z.int(), chosenAt: Moment }).nullable(),
  backupId: z.string().nullable(),
  pointInTime: Moment.nullable(),
  readTime: z.string().nullable(),
  scope: Scope,
  target: z.object({ projectId: z.string(), projectName: z.string() }).nullable(),
  restoreJobId: z.string().nullable(),
  counts: z
    .object({
      objects: z.int(),
      collections: z.int(),
      documents: z.int(),
      authUsers: z.int(),
      /** Documents whose fields were decoded. */
      decoded: z.int(),
      bytes: z.int(),
    })
    .nullable(),
  comparisons: z.object({ index: Comparison, source: Comparison, target: Comparison }).nullable(),
  warnings: z.array(TestWarning),
  /** SHA-256, in hex: of the manifest, and of the names and contents of all documents compared, in order. */
  digests: z.object({ manifest: z.string().nullable(), documents: z.string().nullable() }).nullable(),
  /** In milliseconds; null for what the run did not do. */
  durations: z.object({
    total: z.int().nullable(),
    read: z.int().nullable(),
    restore: z.int().nullable(),
    compare: z.int().nullable(),
    check: z.int().nullable(),
    remove: z.int().nullable(),
  }),
  /** From the start of the restore until every document was in the target; null without a target. */
  rtoSeconds: z.number().nullable(),
  differences: Differences,
  check: CheckState.nullable(),
  removal: Removal.nullable(),
  evidence: z.object({ object: z.string(), digest: z.string(), keyId: z.string() }).nullable(),
  createdBy: Creator.nullable(),
  createdAt: Moment,
  startedAt: Moment.nullable(),
  completedAt: Moment.nullable(),
  error: JobError.nullable(),
});
export type RestoreTestRun = z.output<typeof RestoreTestRun>;
