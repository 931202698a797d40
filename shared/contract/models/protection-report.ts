/** What an auditor asks of a period: what ran, failed, was restored, proven, erased and changed, and by whom. */
import * as z from 'zod/mini';
import { Moment } from '../fields.ts';
import { restoreStatuses } from '../job-enums.ts';
import { Creator } from './job.ts';
import { mergeModes } from './restore.ts';
import { RestoreTestReport } from './restore-test-evidence.ts';

const listed = <S extends z.ZodMiniType>(item: S) => z.object({ items: z.array(item), omitted: z.int() });

const ended = { completed: z.int(), failed: z.int(), cancelled: z.int(), unfinished: z.int() };

const ReportedBackups = z.object({
  projectId: z.string(),
  projectName: z.string(),
  ...ended,
  addedBytes: z.int(),
  lastCompletedAt: z.nullable(Moment),
  locked: z.int(),
  lockIncomplete: z.int(),
  lockedUntil: z.nullable(Moment),
});

const ReportedFailure = z.object({
  backupId: z.string(),
  projectId: z.string(),
  projectName: z.string(),
  at: Moment,
  code: z.nullable(z.string()),
  message: z.nullable(z.string()),
});

const ReportedRestore = z.object({
  restoreJobId: z.string(),
  at: Moment,
  status: z.enum(restoreStatuses),
  mergeMode: z.enum(mergeModes),
  backupId: z.string(),
  projectName: z.string(),
  targetProjectId: z.string(),
  targetProjectName: z.string(),
  written: z.int(),
  deleted: z.int(),
  undoOf: z.nullable(z.string()),
  by: z.nullable(Creator),
  error: z.nullable(z.string()),
});

/** An entry of the audit log. */
const ReportedChange = z.object({
  id: z.string(),
  at: Moment,
  action: z.string(),
  by: Creator,
  resource: z.object({ type: z.string(), id: z.string() }),
  details: z.record(z.string(), z.unknown()),
});

const ReportedSchedule = z.object({
  scheduleId: z.string(),
  name: z.string(),
  projectId: z.string(),
  projectName: z.string(),
  cron: z.string(),
  timezone: z.string(),
  enabled: z.boolean(),
  retention: z.string(),
});

const ReportedStorage = z.object({
  storageDestinationId: z.string(),
  name: z.string(),
  type: z.string(),
  bucket: z.string(),
  status: z.string(),
  immutable: z.boolean(),
  objectLock: z.nullable(z.object({ mode: z.enum(['governance', 'compliance']), days: z.int() })),
  encryption: z.nullable(z.string()),
  backups: z.int(),
});

export const ProtectionReport = z.object({
  ...z.pick(RestoreTestReport, { organization: true, from: true, to: true, generatedAt: true, generatedBy: true }).shape,
  auditLogFrom: Moment,
  backups: z.object({
    ...ended,
    addedBytes: z.int(),
    projects: z.array(ReportedBackups),
    failures: listed(ReportedFailure),
  }),
  restores: z.object({ ...ended, ...listed(ReportedRestore).shape }),
  restoreTests: z.pick(RestoreTestReport, { summary: true, projects: true }),
  erasures: listed(ReportedChange),
  removals: listed(ReportedChange),
  changes: listed(ReportedChange),
  retention: z.object({ schedules: listed(ReportedSchedule), storage: listed(ReportedStorage) }),
});
export const ProtectionReportFile = z.object({ success: z.literal(true), data: ProtectionReport });
export type ProtectionReport = z.output<typeof ProtectionReport>;
