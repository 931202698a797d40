/**
 * Reports a due time at which a plan tested nothing: each project gets a run that failed, its event and so its incident, as of a run that
 * ended with an error. Such a run read nothing, so it has no evidence. With more projects than a plan tests, only the first gets one.
 */
import { auditNote, systemAudit } from '../../audit/index.ts';
import type { ErrorDetails, JobErrorCode } from '../../contract/errors.ts';
import { restoreTestEvents } from '../../contract/event-data/restore-test-events.ts';
import { emit } from '../../event/index.ts';
import { type OrganizationRecord, whileActive } from '../../organization/index.ts';
import { commit, create, get, getAll, idFor, iso, log, type Tenant, type Write } from '../../platform/index.ts';
import { type ProjectRecord, projectKey } from '../../project/index.ts';
import type { ActiveContext } from '../../recurring/index.ts';
import { newRun, projectsOf, projectsPerPlanMax } from '../api/start-runs.ts';
import { planWrites } from '../model/plan-writes.ts';
import { type RestoreTestRecord, type RunRecord, restoreTestKey } from '../model/record.ts';
import { runEvent } from '../model/restore-test-view.ts';

export interface StartError {
  readonly code: Extract<JobErrorCode, 'PROJECT_NOT_FOUND' | 'CONFLICT' | 'SCHEDULE_MISSED'>;
  readonly message: string;
  readonly details: ErrorDetails;
}

type FailedRun = RunRecord & { readonly error: StartError };

interface Unstarted {
  /** The due time; of several, the last. */
  readonly last: Date;
  readonly next: Date | undefined;
  readonly error: StartError;
}

/** The attributes of a plan whose due time is over. */
export const advanceTo = (at: Date, next: Date | undefined) => ({ lastRunAt: iso(at), nextRunAt: next ? iso(next) : null });

export const reportUnstarted = async (
  { tenant, record: plan, organization }: ActiveContext<RestoreTestRecord>,
  { last, next, error }: Unstarted,
  now: Date,
): Promise<void> => {
  const into = plan.target ? await get(projectKey.project(tenant, plan.target.projectId)) : undefined;
  const projects = reportedProjects(await projectsOf(tenant, plan), plan);
  const target = plan.target && { projectId: plan.target.projectId, projectName: into?.name ?? plan.target.projectId };
  const failed = projects.map((project) => {
    const run = failedRun(tenant, { plan, project, unstarted: { last, error }, now });
    return { project, run: { ...run, target } };
  });
  const reports = await unreported(tenant, { failed, organization, now });
  const status = error.code === 'SCHEDULE_MISSED' ? 'missed' : 'failed';
  const { code, message } = error;
  const runs = failed.map(({ run }) => run.id);
  const changes = {
    ...advanceTo(last, next),
    lastOutcome: { status, at: iso(now), runId: runs[0] ?? null, error: { code, message } } as const,
  };
  const note = auditNote(tenant, {
    type: 'restore_test',
    id: plan.id,
    details: { scheduledFor: iso(last), code, message, runs },
  });
  await commit([
    ...planWrites.set(tenant, plan, changes),
    whileActive(tenant),
    ...reports.flat(),
    systemAudit('scheduler', { action: 'restore_test.missed', note, now }),
  ]);
  log.warn('a scheduled restore test was not started', { restoreTestId: plan.id, code, runs: runs.length });
};

/** Not the target, which is never tested into itself, unless there is no other. Two writes each: they fit into one transaction. */
const reportedProjects = (projects: readonly ProjectRecord[], { target }: RestoreTestRecord): readonly ProjectRecord[] => {
  const tested = projects.filter(({ id }) => id !== target?.projectId);
  if (tested.length === 0) return projects;
  return projects.length > projectsPerPlanMax ? tested.slice(0, 1) : tested;
};

/** Its id follows from plan, due time and project. */
const failedRun = (
  tenant: Tenant,
  {
    plan,
    project,
    unstarted: { last, error },
    now,
  }: {
    readonly plan: RestoreTestRecord;
    readonly project: ProjectRecord;
    readonly unstarted: Pick<Unstarted, 'last' | 'error'>;
    readonly now: Date;
  },
): FailedRun => {
  const id = idFor('restoreTestRun', last, `${plan.id} ${project.id}`);
  const start = { trigger: 'scheduled', scheduledFor: iso(last), createdBy: { type: 'system', id: plan.id } } as const;
  return {
    ...newRun(tenant, { id, newRun: { plan, project, target: undefined, start }, now }),
    status: 'failed',
    phase: 'finished',
    completedAt: iso(now),
    error,
  };
};

interface FailedProject {
  readonly project: ProjectRecord;
  readonly run: FailedRun;
}

const unreported = async (
  tenant: Tenant,
  {
    failed,
    organization,
    now,
  }: { readonly failed: readonly FailedProject[]; readonly organization: OrganizationRecord; readonly now: Date },
): Promise<readonly (readonly Write[])[]> => {
  const found = await getAll(failed.map(({ run }) => restoreTestKey.run(tenant, run.id)));
  return failed
    .filter((_, n) => found[n] === undefined)
    .map(({ project, run }) => {
      const data = runEvent(run, project, organization);
      const restoreTest = { ...data.restoreTest, error: run.error };
      return [
        create(run),
        emit(tenant, { schemas: restoreTestEvents, name: 'restore_test.failed', data: { ...data, restoreTest }, now }),
      ];
    });
};
