/** What an organization's projects look like now. */
import * as z from 'zod';
import { Moment } from '../fields.ts';
import { backupStatuses, backupTriggers, backupTypes, Cost, JobError, verifyDepths } from './backup.ts';
import { Pitr } from './pitr.ts';
import { Project } from './project.ts';
import { restoreStatuses } from './restore.ts';
import { scheduleFailures } from './schedule.ts';

export const protections = ['protected', 'at_risk', 'unprotected'] as const;

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
  'WEBHOOK_DISABLED',
  'WEBHOOK_FAILING',
] as const;

export const GoodBackup = z.object({
  id: z.string(),
  type: z.enum(backupTypes),
  trigger: z.enum(backupTriggers),
  completedAt: Moment,
  readTime: z.string().nullable(),
  ageSeconds: z.int(),
  size: z.int(),
  documents: z.int(),
  storageDestinationId: z.string(),
  verifiedAt: Moment.nullable(),
});

const Concern = z.object({ code: z.enum(concerns), message: z.string() });

export const RunningJob = z.object({
  kind: z.enum(['backup', 'restore']),
  id: z.string(),
  status: z.enum(['pending', 'running']),
  phase: z.string(),
  percent: z.int(),
  createdAt: Moment,
});

export const ProjectOverview = z.object({
  ...Project.pick({ id: true, name: true, sourceProjectId: true, databaseId: true, status: true }).shape,
  protection: z.enum(protections),
  reasons: z.array(Concern),
  lastGoodBackup: GoodBackup.nullable(),
  expectedSince: Moment.nullable(),
  lastVerification: z
    .object({ backupId: z.string(), at: Moment, status: z.enum(['passed', 'failed']), depth: z.enum(verifyDepths) })
    .nullable(),
  lastRestoreTest: z.object({ backupId: z.string(), at: Moment }).nullable(),
  lastRestore: z
    .object({
      restoreJobId: z.string(),
      status: z.enum(restoreStatuses),
      createdAt: Moment,
      completedAt: Moment.nullable(),
    })
    .nullable(),
  pitr: Pitr.pick({ status: true, precision: true, earliestRestorableAt: true, latestRestorableAt: true, problem: true }),
  nextRun: z.object({ at: Moment, scheduleId: z.string() }).nullable(),
  schedules: z.object({
    enabled: z.int(),
    failing: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
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
  since: Moment.nullable(),
  projectId: z.string().nullable(),
  resource: z.object({
    type: z.enum(['project', 'backup', 'restore', 'schedule', 'storage_destination', 'webhook']),
    id: z.string(),
  }),
});

export const FailedJob = z.object({
  kind: z.enum(['backup', 'restore']),
  id: z.string(),
  projectId: z.string(),
  projectName: z.string().nullable(),
  trigger: z.enum(backupTriggers).nullable(),
  scheduleId: z.string().nullable(),
  status: z.enum(backupStatuses).extract(['failed']),
  failedAt: Moment,
  error: JobError.nullable(),
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
    backups: z.int(),
    storedBytes: z.int(),
    runningJobs: z.int(),
  }),
  projects: z.array(ProjectOverview),
  attention: z.array(Attention),
  failedJobs: z.array(FailedJob),
  history: z.object({ complete: z.boolean(), from: Moment, days: z.array(HistoryDay) }),
});
