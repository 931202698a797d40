/** Whether a project is protected now, and why not. */
import type * as z from 'zod/mini';
import type { Attention, ProjectOverview } from '../contract/models/overview.ts';
import { pitrData } from '../pitr/index.ts';
import { previousRun } from '../recurring/index.ts';
import { isQueued, type ScheduleRecord } from '../schedule/index.ts';
import { isDamaged, isOfProject, type ProjectState } from './project-state.ts';

export type Concern = Omit<z.input<typeof Attention>, 'incidentId'>;
type Found = Omit<Concern, 'projectId'>;
type Protection = z.input<typeof ProjectOverview>['protection'];

export interface ProtectionAssessment {
  readonly protection: Protection;
  /** Most severe first. */
  readonly concerns: readonly Concern[];
  /** A backup that was started before this due time is too old; null if no schedule has been due. */
  readonly expectedSince: string | null;
}

export const assessProtection = (state: ProjectState, now: Date): ProtectionAssessment => {
  const expectedSince = lastDueTime(state, now);
  const found = [
    ...(state.lastGood ? [] : [noBackup(state)]),
    ...unauthorized(state),
    ...damaged(state),
    ...unusual(state),
    ...overdue(state, expectedSince),
    ...failingSchedules(state),
    ...failedBackup(state),
    ...failingDestinations(state),
    ...pitrProblem(state, now),
    ...unscheduled(state),
    ...missingCollections(state),
  ];
  const concerns = found.map((concern) => ({ ...concern, projectId: state.project.id }));
  const protection = state.lastGood ? (concerns.length > 0 ? 'at_risk' : 'protected') : 'unprotected';
  return { protection, concerns, expectedSince };
};

/** A backup may start up to an hour late, or later if it waits for capacity, and takes its time. */
const graceMs = 2 * 3_600_000;

/** The last due time of any schedule for which a backup should exist by now. */
const lastDueTime = ({ schedules }: ProjectState, now: Date): string | null =>
  schedules
    .flatMap((schedule) => dueTimeOf(schedule, now) ?? [])
    .sort()
    .at(-1) ?? null;

/** The last due time of a schedule for which a backup should exist by now; undefined if there is none. */
export const dueTimeOf = (schedule: ScheduleRecord, now: Date): string | undefined => {
  const { enabled, cron, timezone, updatedAt } = schedule;
  const before = (moment: Date): string | undefined => previousRun(cron, timezone, moment)?.toISOString();
  const last = enabled ? before(new Date(now.getTime() - graceMs)) : undefined;
  const at = last !== undefined && isStillComing(schedule, last, now) ? before(new Date(last)) : last;
  // A schedule that is newer than its due time was not due then.
  return at !== undefined && at > updatedAt ? at : undefined;
};

/** The run of this due time waits for capacity, or has waited, started lately and not ended yet. */
const isStillComing = (schedule: ScheduleRecord, due: string, now: Date): boolean => {
  const { nextRunAt, lastTick, lastRunAt, lastEndAt = '' } = schedule;
  if (isQueued(schedule)) return nextRunAt === due;
  return lastTick === due && lastRunAt !== null && lastEndAt < lastRunAt && Date.parse(lastRunAt) > now.getTime() - graceMs;
};

const noBackup = ({ project, pitr }: ProjectState): Found => ({
  severity: 'critical',
  kind: 'NO_BACKUP',
  message:
    pitr && pitr.status !== 'disabled'
      ? `${project.name} has no backup yet: point-in-time recovery waits for its base backup`
      : `${project.name} has no backup that could be restored`,
  since: project.createdAt,
  resource: { type: 'project', id: project.id },
});

const unauthorized = ({ project }: ProjectState): readonly Found[] =>
  project.status === 'connected'
    ? []
    : [
        {
          severity: 'critical',
          kind: 'PROJECT_UNAUTHORIZED',
          message: `${project.name} denies access, so no further backup can be made. Reconnect the project`,
          since: null,
          resource: { type: 'project', id: project.id },
        },
      ];

/** Only a damaged backup that is newer than the last good one is of concern: a newer one replaces it. */
const damaged = ({ project, backups, lastGood }: ProjectState): readonly Found[] =>
  backups
    .filter((backup) => backup.status === 'completed' && isOfProject(backup) && isDamaged(backup))
    .filter(({ createdAt }) => createdAt > (lastGood?.createdAt ?? ''))
    .slice(0, 1)
    .map(({ id, verification }) => ({
      severity: 'critical',
      kind: 'BACKUP_DAMAGED',
      message: `The newest backup of ${project.name} was found damaged`,
      since: verification?.checkedAt ?? null,
      resource: { type: 'backup', id },
    }));

/** What was found in its newest marked backup is not acknowledged. */
const unusual = ({ project, backups }: ProjectState): readonly Found[] =>
  backups
    .filter(({ status, anomalyState }) => status === 'completed' && anomalyState === 'open')
    .slice(0, 1)
    .map(({ id, anomaly }) => ({
      severity: 'critical',
      kind: 'UNUSUAL_CHANGES',
      message: `A backup of ${project.name} differs from what is usual: ${anomaly?.findings[0]?.message ?? 'see its findings'}`,
      since: anomaly?.detectedAt ?? null,
      resource: { type: 'backup', id },
    }));

const overdue = ({ project, lastGood }: ProjectState, expectedSince: string | null): readonly Found[] =>
  expectedSince === null || !lastGood || lastGood.createdAt >= expectedSince
    ? []
    : [
        {
          severity: 'critical',
          kind: 'BACKUP_OVERDUE',
          message: `The last good backup of ${project.name} is older than its schedule demands`,
          since: expectedSince,
          resource: { type: 'backup', id: lastGood.id },
        },
      ];

const failingSchedules = ({ schedules }: ProjectState): readonly Found[] =>
  schedules.flatMap(({ id, name, enabled, failing }) =>
    enabled && failing
      ? [
          {
            severity: failing.reason === 'overdue' ? 'critical' : 'warning',
            kind: 'SCHEDULE_FAILING',
            message: `Schedule ${name} fails: ${failing.message}`,
            since: failing.since,
            resource: { type: 'schedule', id },
          },
        ]
      : [],
  );

/** A failed run of a schedule is reported with the schedule. */
const failedBackup = ({ project, backups, schedules }: ProjectState): readonly Found[] => {
  const last = backups.find((backup) => isOfProject(backup) && (backup.status === 'completed' || backup.status === 'failed'));
  const isReported = schedules.some(({ id, enabled, failing }) => enabled && failing && id === last?.scheduleId);
  if (last?.status !== 'failed' || last.error?.code === 'CANCELLED' || isReported) return [];
  return [
    {
      severity: 'warning',
      kind: 'LAST_BACKUP_FAILED',
      message: `The last backup of ${project.name} failed: ${last.error?.message ?? 'unknown error'}`,
      since: last.completedAt,
      resource: { type: 'backup', id: last.id },
    },
  ];
};

const failingDestinations = ({ project, destinations }: ProjectState): readonly Found[] =>
  destinations
    .filter(({ status }) => status === 'error')
    .map(({ id, name, lastError, lastTestedAt }) => ({
      severity: 'warning',
      kind: 'STORAGE_ERROR',
      message: `Storage destination ${name} of ${project.name} is in error${lastError ? `: ${lastError.message}` : ''}`,
      since: lastError?.at ?? lastTestedAt,
      resource: { type: 'storage_destination', id },
    }));

const pitrProblem = ({ project, pitr }: ProjectState, now: Date): readonly Found[] => {
  const problem = pitr && pitr.status !== 'disabled' ? pitrData(pitr, now).problem : null;
  if (problem === null) return [];
  const message = `Point-in-time recovery of ${project.name}: ${problem}`;
  const severity = pitr?.mustReadBase ? 'critical' : 'warning';
  return [{ severity, kind: 'PITR_PROBLEM', message, since: null, resource: { type: 'project', id: project.id } }];
};

const unscheduled = ({ project, schedules, pitr }: ProjectState): readonly Found[] =>
  schedules.some(({ enabled }) => enabled) || (pitr && pitr.status !== 'disabled')
    ? []
    : [
        {
          severity: 'warning',
          kind: 'NOT_SCHEDULED',
          message: `${project.name} is not backed up automatically. Create a schedule`,
          since: null,
          resource: { type: 'project', id: project.id },
        },
      ];

const missingCollections = ({ schedules }: ProjectState): readonly Found[] =>
  schedules.flatMap(({ id, name, enabled, warning }) =>
    enabled && warning
      ? [
          {
            severity: 'warning',
            kind: 'COLLECTIONS_MISSING',
            message: `Schedule ${name}: ${warning.message}`,
            since: warning.since,
            resource: { type: 'schedule', id },
          },
        ]
      : [],
  );
