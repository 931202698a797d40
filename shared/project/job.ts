/** The lock of a project's one job: a backup, a restore or a move. */
import { ApiError } from '../contract/errors.ts';
import { create, get, iso, type Tenant, type Write } from '../platform/index.ts';
import { noSuchProject } from './read.ts';
import { type JobRecord, projectKey } from './record.ts';

type Job = Pick<JobRecord, 'jobId' | 'kind'>;

/** Of two jobs at the same moment one has it; the other is told which. */
export const jobLock = (tenant: Tenant, projectId: string, { jobId, kind }: Job, now: Date): Write =>
  create({ ...projectKey.job(tenant, projectId), jobId, kind, since: iso(now) } satisfies JobRecord, () =>
    inProgress(tenant, projectId),
  );

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
  otherwise: () => inProgress(tenant, projectId),
});

/** Holds only while there is such a project: what begins on one that is being disconnected begins not at all. */
export const whileConnected = (tenant: Tenant, projectId: string): Write => ({
  check: projectKey.project(tenant, projectId),
  condition: 'attribute_exists(pk)',
  otherwise: noSuchProject,
});

export const readJob = async (tenant: Tenant, projectId: string): Promise<JobRecord | undefined> =>
  (await get(projectKey.job(tenant, projectId))) as JobRecord | undefined;

const inProgress = async (tenant: Tenant, projectId: string): Promise<ApiError> => {
  const job = await readJob(tenant, projectId);
  return new ApiError(
    'JOB_IN_PROGRESS',
    `A ${job?.kind ?? 'job'} of this project is in progress`,
    job && { jobId: job.jobId, kind: job.kind },
  );
};
