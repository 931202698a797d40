/** Starts the runs of a plan: one for each project that it tests. */
import { ApiError } from '../../contract/errors.ts';
import { enqueue } from '../../event/index.ts';
import { countJobStart } from '../../organization/index.ts';
import { create, get, iso, newId, type Tenant, type Write, walk } from '../../platform/index.ts';
import { databaseOf, type ProjectRecord, projectKey, projectPrefix, readProject } from '../../project/index.ts';
import { unfinishedRuns } from '../model/get-restore-test.ts';
import { type RestoreTestRecord, type RunningTest, type RunRecord, restoreTestKey } from '../model/record.ts';

/** Each run takes three writes of the transaction; an organization with more projects tests them in several plans. */
export const projectsPerPlanMax = 30;

export interface SkippedProject {
  readonly projectId: string;
  readonly reason: string;
}

export interface StartedRuns {
  readonly runs: readonly RunRecord[];
  readonly skipped: readonly SkippedProject[];
  /** Whether an earlier run of a skipped project still tests it. */
  readonly isUnderWay: boolean;
  readonly writes: readonly Write[];
}

type Start = Pick<RunRecord, 'trigger' | 'scheduledFor' | 'createdBy'>;

/** A project with a run of the same plan that has not ended is skipped, and so is the target itself. */
export const startRuns = async (
  tenant: Tenant,
  { plan, start, now }: { readonly plan: RestoreTestRecord; readonly start: Start; readonly now: Date },
): Promise<StartedRuns> => {
  const target = await targetOf(tenant, plan);
  const projects = await projectsOf(tenant, plan);
  if (projects.length > projectsPerPlanMax) throw tooManyProjects(projects.length);
  const busy = await busyProjects(tenant, plan.id);
  const runs: RunRecord[] = [];
  const skipped: SkippedProject[] = [];
  for (const project of projects) {
    const reason = reasonToSkip(project, target, busy);
    if (reason !== undefined) skipped.push({ projectId: project.id, reason });
    else runs.push(newRun(tenant, { id: newId('restoreTestRun', now), newRun: { plan, project, target, start }, now }));
  }
  const isUnderWay = skipped.some(({ projectId }) => busy.has(projectId));
  const writes = runs.flatMap((run) => runWrites(tenant, run, now));
  return { runs, skipped, isUnderWay, writes: runs.length === 0 ? [] : [countJobStart(tenant), ...writes] };
};

const reasonToSkip = (
  project: ProjectRecord,
  target: ProjectRecord | undefined,
  busy: ReadonlyMap<string, string>,
): string | undefined => {
  if (target && databaseOf(target) === databaseOf(project))
    return 'It is the target of the test, which is never tested into itself';
  const runId = busy.get(project.id);
  return runId === undefined ? undefined : `Its run ${runId} of the same plan has not ended`;
};

const targetOf = async (tenant: Tenant, { target }: RestoreTestRecord): Promise<ProjectRecord | undefined> => {
  if (!target) return undefined;
  const project = await get(projectKey.project(tenant, target.projectId));
  if (project) return project;
  throw new ApiError('PROJECT_NOT_FOUND', 'The target of the restore test was disconnected. Choose another target', {
    targetProjectId: target.projectId,
  });
};

/** The projects that a plan tests. */
export const projectsOf = async (
  tenant: Tenant,
  { projectId }: Pick<RestoreTestRecord, 'projectId'>,
): Promise<readonly ProjectRecord[]> => {
  if (projectId !== null) return [await readProject(tenant, projectId)];
  return Array.fromAsync(walk<ProjectRecord>({ pk: restoreTestKey.plan(tenant, '').pk, prefix: projectPrefix }));
};

const tooManyProjects = (projects: number): ApiError =>
  new ApiError(
    'CONFLICT',
    `A plan for all projects tests at most ${projectsPerPlanMax}; this organization has ${projects}. Create plans for single projects`,
    { max: projectsPerPlanMax, projects },
  );

/** Runs by project that have not ended. */
const busyProjects = async (tenant: Tenant, restoreTestId: string): Promise<ReadonlyMap<string, string>> =>
  new Map((await unfinishedRuns(tenant, restoreTestId)).map(({ projectId, id }) => [projectId, id]));

interface NewRun {
  readonly plan: RestoreTestRecord;
  readonly project: ProjectRecord;
  readonly target: ProjectRecord | undefined;
  readonly start: Start;
}

export const newRun = (
  tenant: Tenant,
  { id, newRun: { plan, project, target, start }, now }: { readonly id: string; readonly newRun: NewRun; readonly now: Date },
): RunRecord => ({
  ...restoreTestKey.run(tenant, id),
  id,
  restoreTestId: plan.id,
  name: plan.name,
  ...start,
  projectId: project.id,
  projectName: project.name,
  status: 'pending',
  phase: 'queued',
  attempt: 1,
  backup: plan.backup,
  scope: plan.scope,
  settings: { check: plan.check },
  target: target ? { projectId: target.id, projectName: target.name } : null,
  ...(target && { targetDatabase: databaseOf(target) }),
  choice: null,
  backupId: null,
  pointInTime: null,
  readTime: null,
  restoreJobId: null,
  counts: null,
  comparisons: null,
  digests: null,
  rtoSeconds: null,
  totalDocuments: null,
  differenceTotal: 0,
  differenceItems: [],
  begun: {},
  endedPhases: {},
  check: null,
  removal: null,
  evidence: null,
  createdAt: iso(now),
  startedAt: null,
  completedAt: null,
  error: null,
});

const runWrites = (tenant: Tenant, run: RunRecord, now: Date): readonly Write[] => {
  const { id, attempt } = run;
  const running: RunningTest = {
    ...restoreTestKey.running(tenant, id),
    organizationId: tenant.organizationId,
    runId: id,
    attempt,
    since: iso(now),
  };
  return [create(run), { put: running }, enqueue(tenant, { kind: 'start-restore-test', runId: id, attempt }, now)];
};
