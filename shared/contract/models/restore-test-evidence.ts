/** Evidence of restore tests, as shared/archive/evidence defines it, and the report over a period. */
import * as z from 'zod/mini';
import { Moment } from '../fields.ts';
import { Creator } from './job.ts';
import { Comparison, Differences, RestoreTestRun, TestWarning } from './restore-test.ts';

const named = z.object({ id: z.string(), name: z.string() });
const { counts, durations, check, target, rtoSeconds } = RestoreTestRun.shape;

export const SignedEvidence = z.object({
  format: z.literal('bms-restore-test-evidence'),
  version: z.literal(1),
  service: z.object({ version: z.string(), url: z.string() }),
  organization: named,
  project: z.extend(named, { source: z.nullable(z.string()) }),
  plan: named,
  run: z.object({
    id: z.string(),
    trigger: z.enum(['scheduled', 'manual']),
    requestedBy: z.nullable(z.object({ id: z.string(), email: z.nullable(z.string()) })),
    scheduledFor: z.nullable(Moment),
    startedAt: Moment,
    completedAt: Moment,
  }),
  result: z.enum(['passed', 'failed']),
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
  tested: z.object({
    backupId: z.nullable(z.string()),
    pointInTime: z.nullable(Moment),
    readTime: z.nullable(z.string()),
    pick: z.string(),
    days: z.nullable(z.int()),
    seed: z.nullable(z.string()),
    candidates: z.nullable(z.int()),
  }),
  scope: z.object({ type: z.enum(['all', 'sample']), documentsPerCollection: z.nullable(z.int()) }),
  target,
  counts,
  /** Absent in evidence of earlier versions. */
  documentsWritten: z.optional(z.nullable(z.int())),
  /** The first thousand, by collection id. */
  collections: z.array(z.object({ id: z.string(), documents: z.int() })),
  collectionsOmitted: z.int(),
  digests: z.object({ manifest: z.nullable(z.string()), documents: z.nullable(z.string()) }),
  durations,
  rtoSeconds,
  comparisons: z.nullable(z.object({ index: Comparison, source: Comparison, target: Comparison })),
  /** Absent in evidence of earlier versions. */
  warnings: z.optional(z.array(TestWarning)),
  differences: Differences,
  check,
  removal: z.nullable(z.object({ status: z.string(), documents: z.int(), message: z.nullable(z.string()) })),
  signature: z.object({
    algorithm: z.literal('RS256'),
    keyId: z.string(),
    publicKey: z.object({ kty: z.literal('RSA'), n: z.string(), e: z.string() }),
    value: z.string(),
  }),
});

/** Seconds until every document was restored, of the runs that restored into a target. */
const Rto = z.object({ runs: z.int(), min: z.number(), median: z.number(), max: z.number() });

const ReportedRun = z.object({
  runId: z.string(),
  restoreTestId: z.string(),
  name: z.string(),
  /** `not_proven`: a test of an earlier version that passed without writing all documents to its target. */
  status: z.enum(['passed', 'failed', 'not_proven']),
  completedAt: Moment,
  backupId: z.nullable(z.string()),
  pointInTime: z.nullable(Moment),
  documents: z.nullable(z.int()),
  documentsWritten: z.nullable(z.int()),
  differences: z.int(),
  /** Why it failed. */
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
  warnings: z.array(TestWarning),
  rtoSeconds: z.nullable(z.number()),
  evidence: z.nullable(z.object({ object: z.string(), digest: z.string(), keyId: z.string() })),
});

const counted = {
  /** Runs that began in the period. */
  runs: z.int(),
  passed: z.int(),
  /** Of those that passed. */
  passedWithWarnings: z.int(),
  /** Not among those that passed. */
  notProven: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  /** Runs that had not ended when the report was made. */
  unfinished: z.int(),
  /** Different backups and moments that passed. */
  backupsProven: z.int(),
  rto: z.nullable(Rto),
};

/** `not_tested`: no run of the period has passed or failed. Otherwise how the last one ended. */
const ReportedProject = z.object({
  projectId: z.string(),
  projectName: z.string(),
  /** False if the project was disconnected since. */
  connected: z.boolean(),
  result: z.enum(['passed', 'failed', 'not_tested']),
  ...counted,
  lastTestedAt: z.nullable(Moment),
  lastPassedAt: z.nullable(Moment),
  /** The newest, at most 100; `testsOmitted` counts the others. */
  tests: z.array(ReportedRun),
  testsOmitted: z.int(),
});

export const RestoreTestReport = z.object({
  organization: named,
  from: Moment,
  to: Moment,
  generatedAt: Moment,
  /** Who asked for it. */
  generatedBy: Creator,
  summary: z.object({ projects: z.int(), tested: z.int(), notTested: z.int(), failing: z.int(), ...counted }),
  projects: z.array(ReportedProject),
});
export const RestoreTestReportFile = z.object({ success: z.literal(true), data: RestoreTestReport });
export type RestoreTestReport = z.output<typeof RestoreTestReport>;
