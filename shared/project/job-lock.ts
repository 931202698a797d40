/** Locks: a project has one job (backup, restore or move), a database has one restore. */
import { ApiError } from '../contract/errors.ts';
import { idPrefixes } from '../contract/ids.ts';
import { absentOr, check, create, get, iso, remove, type Tenant, type Write, walk } from '../platform/index.ts';
import { projectNotFound } from './read-project.ts';
import { type JobLock, type ProjectRecord, projectKey } from './record.ts';

type Job = Pick<JobLock, 'jobId' | 'kind' | 'database'>;

/** Takes the project's lock. If another job holds it, the error names that job. */
export const jobLock = (
  tenant: Tenant,
  { projectId, job, now }: { readonly projectId: string; readonly job: Job; readonly now: Date },
): Write =>
  create({ ...projectKey.job(tenant, projectId), ...job, since: iso(now) } satisfies JobLock, () =>
    inProgress(tenant, projectId),
  );

/** The locks of all projects that have a job now. */
export async function* jobLocksOf(tenant: Tenant): AsyncGenerator<JobLock & { readonly projectId: string }> {
  const { pk, sk: prefix } = projectKey.job(tenant, '');
  for await (const lock of walk<JobLock>({ pk, prefix: `${prefix}${idPrefixes.project}_` }))
    yield { ...lock, projectId: lock.sk.slice(prefix.length) };
}

/** Identifies a database. Two projects may be connected to the same one. */
export const databaseOf = ({ sourceProjectId, databaseId }: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>): string =>
  `${sourceProjectId}#${databaseId}`;

/** A restore also locks its database, because another project may be connected to it. Backups only read and need no such lock. */
export const databaseLock = (
  tenant: Tenant,
  { database, job: { jobId, kind }, now }: { readonly database: string; readonly job: Job; readonly now: Date },
): Write =>
  create({ ...projectKey.databaseJob(tenant, database), jobId, kind, since: iso(now) } satisfies JobLock, async () =>
    inProgressOf(
      'A restore into the database of this project is in progress, started from another project connected to it',
      await get(projectKey.databaseJob(tenant, database)),
    ),
  );

/** Releases the database. A lock that is missing does not fail the release. */
export const databaseRelease = (tenant: Tenant, database: string, jobId: string): Write => ({
  remove: projectKey.databaseJob(tenant, database),
  ...absentOr({ jobId }),
});

/** Releases the project if this job still holds it, so that a job that was given up cannot release another job's lock. */
export const jobRelease = (tenant: Tenant, projectId: string, jobId: string): Write =>
  remove(projectKey.job(tenant, projectId), undefined, { jobId });

/** Condition: the project has no job. */
export const whileIdle = (tenant: Tenant, projectId: string): Write => ({
  check: projectKey.job(tenant, projectId),
  condition: 'attribute_not_exists(pk)',
  onConditionFailed: () => inProgress(tenant, projectId),
});

/** Condition: no restore test has the project's database as its target. What the test wrote could not be removed without the project. */
export const whileUntested = (tenant: Tenant, project: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>): Write => ({
  check: projectKey.databaseTest(tenant, databaseOf(project)),
  condition: 'attribute_not_exists(pk)',
  onConditionFailed: underTest,
});

const underTest = (): ApiError =>
  new ApiError('JOB_IN_PROGRESS', 'A restore test uses this project as its target. Cancel the test, or wait until it has ended', {
    kind: 'restore',
  });

/** Condition: the project exists. */
export const whileConnected = (tenant: Tenant, projectId: string): Write =>
  check(projectKey.project(tenant, projectId), {}, projectNotFound);

export const readJob = (tenant: Tenant, projectId: string): Promise<JobLock | undefined> =>
  get(projectKey.job(tenant, projectId));

/** Fails early, before expensive work. The lock decides. */
export const assertIdle = async (tenant: Tenant, projectId: string): Promise<void> => {
  if (await readJob(tenant, projectId)) throw await inProgress(tenant, projectId);
};

const inProgress = async (tenant: Tenant, projectId: string): Promise<ApiError> => {
  const job = await readJob(tenant, projectId);
  return inProgressOf(`A ${job?.kind ?? 'job'} of this project is in progress`, job);
};

const inProgressOf = (message: string, job: JobLock | undefined): ApiError =>
  new ApiError('JOB_IN_PROGRESS', message, job && { jobId: job.jobId, kind: job.kind });
