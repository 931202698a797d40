/** The lock of a project's one job, a backup, a restore or a move, and that of a database's one restore. */
import { ApiError } from '../contract/errors.ts';
import { create, get, iso, type Tenant, type Write } from '../platform/index.ts';
import { projectNotFound } from './read-project.ts';
import { type JobRecord, type ProjectRecord, projectKey } from './record.ts';

type Job = Pick<JobRecord, 'jobId' | 'kind' | 'database'>;

/** Of two jobs at the same moment one has it; the other is told which. */
export const jobLock = (tenant: Tenant, projectId: string, job: Job, now: Date): Write =>
  create({ ...projectKey.job(tenant, projectId), ...job, since: iso(now) } satisfies JobRecord, () =>
    inProgress(tenant, projectId),
  );

/** What two projects have in common that were connected to the same database. */
export const databaseOf = ({ sourceProjectId, databaseId }: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>): string =>
  `${sourceProjectId}#${databaseId}`;

/** A restore locks the database, too: two projects may be connected to one. Backups only read, and need not wait. */
export const databaseLock = (tenant: Tenant, database: string, { jobId, kind }: Job, now: Date): Write =>
  create({ ...projectKey.databaseJob(tenant, database), jobId, kind, since: iso(now) } satisfies JobRecord, async () =>
    inProgressOf(
      'A restore into the database of this project, which another project is connected to as well, is in progress',
      await get(projectKey.databaseJob(tenant, database)),
    ),
  );

/** Frees the database with its project; a lock that is gone or another's holds up no end. */
export const databaseRelease = (tenant: Tenant, database: string, jobId: string): Write => ({
  remove: projectKey.databaseJob(tenant, database),
  condition: 'attribute_not_exists(pk) OR jobId = :jobId',
  values: { ':jobId': jobId },
});

/** Frees the project, if it is still this job's: one that was given up and wakes again frees nobody else's. */
export const jobRelease = (tenant: Tenant, projectId: string, jobId: string): Write => ({
  remove: projectKey.job(tenant, projectId),
  condition: 'jobId = :jobId',
  values: { ':jobId': jobId },
});

/** Holds only while the project has no job. */
export const whileIdle = (tenant: Tenant, projectId: string): Write => ({
  check: projectKey.job(tenant, projectId),
  condition: 'attribute_not_exists(pk)',
  onConditionFailed: () => inProgress(tenant, projectId),
});

/** Holds only while there is such a project: what begins on one that is being disconnected begins not at all. */
export const whileConnected = (tenant: Tenant, projectId: string): Write => ({
  check: projectKey.project(tenant, projectId),
  condition: 'attribute_exists(pk)',
  onConditionFailed: projectNotFound,
});

export const readJob = async (tenant: Tenant, projectId: string): Promise<JobRecord | undefined> =>
  await get(projectKey.job(tenant, projectId));

/** For whoever has much to look at before the lock is tried: the lock decides, and this spares the looking. */
export const assertIdle = async (tenant: Tenant, projectId: string): Promise<void> => {
  if (await readJob(tenant, projectId)) throw await inProgress(tenant, projectId);
};

const inProgress = async (tenant: Tenant, projectId: string): Promise<ApiError> => {
  const job = await readJob(tenant, projectId);
  return inProgressOf(`A ${job?.kind ?? 'job'} of this project is in progress`, job);
};

const inProgressOf = (message: string, job: JobRecord | undefined): ApiError =>
  new ApiError('JOB_IN_PROGRESS', message, job && { jobId: job.jobId, kind: job.kind });
