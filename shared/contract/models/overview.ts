/** What an organization's projects look like now. */
import * as z from 'zod/mini';
import { Moment, ShownName } from '../fields.ts';
import { backupTriggers, backupTypes, restoreStatuses, verifyDepths } from '../job-enums.ts';
import { protections } from '../protections.ts';
import { Cost, JobError, WaitingFor } from './job.ts';
import { Pitr } from './pitr.ts';
import { Project } from './project.ts';
import { scheduleFailures } from './schedule.ts';

/** Why a project is not protected, or what needs attention. */
export const concerns = [
  'NO_BACKUP',
  'PROJECT_UNAUTHORIZED',
  'BACKUP_DAMAGED',
  'UNUSUAL_CHANGES',
  'BACKUP_OVERDUE',
  'SCHEDULE_FAILING',
  'LAST_BACKUP_FAILED',
  'STORAGE_ERROR',
  'PITR_PROBLEM',
  'NOT_SCHEDULED',
  'COLLECTIONS_MISSING',
  'RESTORE_FAILED',
  'RESTORE_TEST_FAILED',
  'WEBHOOK_DISABLED',
  'WEBHOOK_FAILING',
  'INCIDENT_OPEN',
] as const;

export const GoodBackup = z.object({
  id: z.string(),
  type: z.enum(backupTypes),
  trigger: z.enum(backupTriggers),
  completedAt: Moment,
  readTime: z.nullable(z.string()),
  ageSeconds: z.int(),
  size: z.int(),
  documents: z.int(),
  storageDestinationId: z.string(),
  verifiedAt: z.nullable(Moment),
});

const Concern = z.object({ code: z.enum(concerns), message: z.string() });

export const RunningJob = z.object({
  kind: z.enum(['backup', 'restore']),
  id: z.string(),
  status: z.enum(['pending', 'running']),
  phase: z.string(),
  percent: z.int(),
  waitingFor: z.nullable(WaitingFor),
  createdAt: Moment,
  startedAt: z.nullable(Moment),
});

export const ProjectOverview = z.object({
  ...z.pick(Project, { id: true, name: true, sourceProjectId: true, databaseId: true, labels: true, status: true }).shape,
  protection: z.enum(protections),
  verified: z.boolean(),
  reasons: z.array(Concern),
  lastGoodBackup: z.nullable(GoodBackup),
  expectedSince: z.nullable(Moment),
  lastVerification: z.nullable(
    z.object({ backupId: z.string(), at: Moment, status: z.enum(['passed', 'failed']), depth: z.enum(verifyDepths) }),
  ),
  lastRestoreTest: z.nullable(
    z.object({
      backupId: z.nullable(z.string()),
      runId: z.nullable(z.string()),
      at: Moment,
      documents: z.nullable(z.int()),
      documentsWritten: z.nullable(z.int()),
    }),
  ),
  lastRestore: z.nullable(
    z.object({
      restoreJobId: z.string(),
      status: z.enum(restoreStatuses),
      createdAt: Moment,
      completedAt: z.nullable(Moment),
    }),
  ),
  pitr: z.pick(Pitr, { status: true, precision: true, earliestRestorableAt: true, latestRestorableAt: true, problem: true }),
  nextRun: z.nullable(z.object({ at: Moment, scheduleId: z.string() })),
  schedules: z.object({
    enabled: z.int(),
    failing: z.array(
      z.object({
        id: z.string(),
        name: ShownName,
        since: Moment,
        reason: z.enum(scheduleFailures),
        code: z.string(),
        message: z.string(),
      }),
    ),
  }),
  runningJobs: z.array(RunningJob),
});

export const Attention = z.object({
  severity: z.enum(['critical', 'warning']),
  kind: z.enum(concerns),
  message: z.string(),
  since: z.nullable(Moment),
  projectId: z.nullable(z.string()),
  resource: z.object({
    type: z.enum(['project', 'backup', 'restore', 'restore_test', 'schedule', 'storage_destination', 'webhook', 'incident']),
    id: z.string(),
  }),
  incidentId: z.nullable(z.string()),
});

export const FailedJob = z.object({
  kind: z.enum(['backup', 'restore']),
  id: z.string(),
  projectId: z.string(),
  projectName: z.nullable(ShownName),
  trigger: z.nullable(z.enum(backupTriggers)),
  scheduleId: z.nullable(z.string()),
  status: z.enum(['failed']),
  failedAt: Moment,
  error: z.nullable(JobError),
});

export const HistoryDay = z.object({
  date: z.iso.date(),
  backups: z.int(),
  failed: z.int(),
  addedBytes: z.int(),
  storedBytes: z.int(),
  documents: z.int(),
  cost: z.object(Cost.shape),
});

export const Overview = z.object({
  at: Moment,
  totals: z.object({
    projects: z.int(),
    protected: z.int(),
    atRisk: z.int(),
    unprotected: z.int(),
    unverified: z.int(),
    proven: z.int(),
    backups: z.int(),
    storedBytes: z.int(),
    runningJobs: z.int(),
  }),
  matching: z.int(),
  projects: z.array(ProjectOverview),
  labels: z.array(z.object({ key: z.string(), value: z.string(), projects: z.int() })),
  attention: z.array(Attention),
  failedJobs: z.array(FailedJob),
  history: z.object({ complete: z.boolean(), from: Moment, days: z.array(HistoryDay) }),
});
