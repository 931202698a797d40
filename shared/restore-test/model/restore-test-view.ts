/** Plans and runs as the API and the events show them. */
import type * as z from 'zod/mini';
import { writtenDocuments } from '../../archive/index.ts';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import type { RestoreTest, RestoreTestRun } from '../../contract/models/restore-test.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import { secretMask } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { creatorData } from '../../stored-backup/index.ts';
import type { RestoreTestRecord, RunRecord } from './record.ts';
import { runWarnings } from './run-warnings.ts';

/** `secret` is given only in the answer to the call that set it. */
export const restoreTestData = (record: RestoreTestRecord, secret?: string): z.input<typeof RestoreTest> => ({
  id: record.id,
  name: record.name,
  projectId: record.projectId,
  cron: record.cron,
  timezone: record.timezone,
  backup: record.backup,
  scope: record.scope,
  target: record.target,
  check: record.check && {
    url: record.check.shownUrl,
    secret: secret ?? secretMask,
    timeoutSeconds: record.check.timeoutSeconds,
  },
  enabled: record.enabled,
  nextRunAt: record.nextRunAt,
  lastRunAt: record.lastRunAt,
  lastOutcome: record.lastOutcome,
  createdBy: record.createdBy,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
});

export const runData = (run: RunRecord): z.output<typeof RestoreTestRun> => ({
  id: run.id,
  restoreTestId: run.restoreTestId,
  name: run.name,
  trigger: run.trigger,
  scheduledFor: run.scheduledFor,
  projectId: run.projectId,
  projectName: run.projectName,
  status: run.status,
  phase: run.phase,
  progress: progressOf(run),
  backup: run.backup,
  choice: run.choice,
  backupId: run.backupId,
  pointInTime: run.pointInTime,
  readTime: run.readTime,
  scope: run.scope,
  target: run.target,
  restoreJobId: run.restoreJobId,
  counts: run.counts,
  documentsWritten: writtenDocuments(run),
  comparisons: run.comparisons,
  warnings: [...runWarnings(run)],
  digests: run.digests,
  durations: durationsOf(run),
  rtoSeconds: run.rtoSeconds,
  differences: { total: run.differenceTotal, items: [...run.differenceItems] },
  check: run.check,
  removal: run.removal,
  evidence: run.evidence,
  createdBy: creatorData(run.createdBy),
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  completedAt: run.completedAt,
  error: run.error,
});

/** 100 % means that the run has passed. */
const progressOf = ({
  status,
  walk,
  progressDocuments = 0,
  totalDocuments,
}: RunRecord): z.output<typeof RestoreTestRun>['progress'] => {
  const documents = Math.max(walk?.documents ?? 0, progressDocuments);
  const share = totalDocuments ? Math.min(0.99, documents / totalDocuments) : 0;
  return { percent: status === 'passed' ? 100 : Math.floor(share * 100), documents, totalDocuments };
};

const between = (from: string | null | undefined, to: string | null | undefined): number | null =>
  from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : null;

const durationsOf = ({
  startedAt,
  completedAt,
  begun,
  endedPhases,
}: RunRecord): z.output<typeof RestoreTestRun>['durations'] => ({
  total: between(startedAt, completedAt),
  read: between(begun.reading, endedPhases.reading),
  restore: between(begun.restoring, endedPhases.restoring),
  compare: between(begun.comparing, endedPhases.comparing),
  check: between(begun.checking, endedPhases.checking),
  remove: between(begun.removing, endedPhases.removing),
});

type RunEvent = EventData<'restore_test.completed'>;

export const runEvent = (
  run: RunRecord,
  project: Pick<ProjectRecord, 'id' | 'name' | 'sourceProjectId'>,
  organization: Pick<OrganizationRecord, 'id' | 'name'>,
): RunEvent => {
  const { progress: _, differences, ...shown } = runData(run);
  return {
    restoreTest: { ...shown, differences: differences.total },
    project: { id: project.id, name: project.name, sourceProjectId: project.sourceProjectId },
    organization: { id: organization.id, name: organization.name },
  };
};
