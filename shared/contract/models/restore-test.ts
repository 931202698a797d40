/** Restore tests in API responses: plans, and one run for each project tested. */
import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';
import { Creator, JobError } from './job.ts';

export const backupPicks = ['latest', 'random', 'moment'] as const;
export const restoreTestStatuses = ['pending', 'running', 'passed', 'failed', 'cancelled'] as const;
export type RestoreTestStatus = (typeof restoreTestStatuses)[number];
/** In order; a run skips those that do not apply to it. */
export const restoreTestPhases = [
  'queued',
  'choosing',
  'reading',
  'restoring',
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
const BackupChoice = z.object({ pick: z.enum(backupPicks), days: z.optional(z.int()) });
/** `documentsPerCollection` is set for `sample` only. */
const Scope = z.object({ type: z.enum(['all', 'sample']), documentsPerCollection: z.optional(z.int()) });
const Target = z.object({ projectId: z.string() });

/** How the last run of a plan ended. Runs of several projects that began together are one. */
const LastOutcome = z.object({
  status: z.enum(['passed', 'failed', 'cancelled', 'missed']),
  at: Moment,
  runId: z.nullable(z.string()),
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
});

export const RestoreTest = z.object({
  id: z.string(),
  name: ShownName,
  projectId: z.nullable(z.string()),
  cron: z.string(),
  timezone: z.string(),
  backup: BackupChoice,
  scope: Scope,
  target: z.nullable(Target),
  check: z.nullable(z.object({ url: z.string(), secret: z.nullable(z.string()), timeoutSeconds: z.int() })),
  enabled: z.boolean(),
  nextRunAt: z.nullable(Moment),
  lastRunAt: z.nullable(Moment),
  lastOutcome: z.nullable(LastOutcome),
  createdBy: z.object({ id: z.string(), email: z.nullable(z.string()) }),
  createdAt: Moment,
  updatedAt: Moment,
});

/** What the archive, or the target, was compared with: `index`, `source` and `target` each have one. */
export const Comparison = z.object({
  compared: z.boolean(),
  /** Why it was not compared, or not completely. */
  reason: z.nullable(z.string()),
  readTime: z.nullable(z.string()),
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
export const testWarnings = ['SOURCE_NOT_COMPARED', 'SOURCE_PARTLY_COMPARED', 'NO_DOCUMENTS', 'NOT_WRITTEN'] as const;
export const TestWarning = z.object({ code: z.enum(testWarnings), message: z.string() });

const CheckState = z.object({
  status: z.enum(['waiting', 'passed', 'failed', 'timeout']),
  message: z.nullable(z.string()),
  requestedAt: z.nullable(Moment),
  answeredAt: z.nullable(Moment),
  timeoutSeconds: z.int(),
});

/** Whether only what the test wrote was removed from the target, and the target is as it was before. */
const Removal = z.object({
  status: z.enum(['pending', 'verified', 'failed', 'nothing_written']),
  undoJobId: z.nullable(z.string()),
  documents: z.int(),
  message: z.nullable(z.string()),
});

export const RestoreTestRun = z.object({
  id: z.string(),
  restoreTestId: z.string(),
  name: ShownName,
  trigger: z.enum(restoreTestTriggers),
  scheduledFor: z.nullable(Moment),
  projectId: z.string(),
  projectName: ShownName,
  status: z.enum(restoreTestStatuses),
  phase: z.enum(restoreTestPhases),
  progress: z.object({ percent: z.int(), documents: z.int(), totalDocuments: z.nullable(z.int()) }),
  backup: BackupChoice,
  /** `seed` and `candidates` let anyone repeat the choice; null until it is made. */
  choice: z.nullable(z.object({ seed: z.string(), candidates: z.int(), chosenAt: Moment })),
  backupId: z.nullable(z.string()),
  pointInTime: z.nullable(Moment),
  readTime: z.nullable(z.string()),
  scope: Scope,
  target: z.nullable(z.object({ projectId: z.string(), projectName: ShownName })),
  restoreJobId: z.nullable(z.string()),
  counts: z.nullable(
    z.object({
      objects: z.int(),
      collections: z.int(),
      documents: z.int(),
      authUsers: z.int(),
      /** Documents whose fields were decoded. */
      decoded: z.int(),
      bytes: z.int(),
    }),
  ),
  /** To the target; null without one, and until they are written. */
  documentsWritten: z.nullable(z.int()),
  comparisons: z.nullable(z.object({ index: Comparison, source: Comparison, target: Comparison })),
  warnings: z.array(TestWarning),
  /** SHA-256, in hex: of the manifest, and of the names and contents of all documents compared, in order. */
  digests: z.nullable(z.object({ manifest: z.nullable(z.string()), documents: z.nullable(z.string()) })),
  /** In milliseconds; null for what the run did not do. */
  durations: z.object({
    total: z.nullable(z.int()),
    read: z.nullable(z.int()),
    restore: z.nullable(z.int()),
    compare: z.nullable(z.int()),
    check: z.nullable(z.int()),
    remove: z.nullable(z.int()),
  }),
  /** From the start of the restore until every document was in the target; null without a target. */
  rtoSeconds: z.nullable(z.number()),
  differences: Differences,
  check: z.nullable(CheckState),
  removal: z.nullable(Removal),
  evidence: z.nullable(z.object({ object: z.string(), digest: z.string(), keyId: z.string() })),
  createdBy: z.nullable(Creator),
  createdAt: Moment,
  startedAt: z.nullable(Moment),
  completedAt: z.nullable(Moment),
  error: z.nullable(JobError),
});
export type RestoreTestRun = z.output<typeof RestoreTestRun>;
