import { ApiError } from '../contract/errors.ts';
import { getAll, type Key, organizationLimit } from '../platform/index.ts';
import type { JobRecord } from './running-job.ts';

/** Running items that are read at most; an organization with more of them is at its limit. */
export const runningItemsMax = 500;

/** How many of the jobs are pending or running. Those that have ended and wait for their clean-up do not count. */
export const countRunningJobs = async (jobs: readonly Key<Pick<JobRecord, 'status'>>[]): Promise<number> => {
  if (jobs.length >= runningItemsMax) return runningItemsMax;
  const found = await getAll(jobs);
  return found.filter((job) => job?.status === 'pending' || job?.status === 'running').length;
};

const limitNames = { backups: 'concurrentBackups', restores: 'concurrentRestores', exports: 'concurrentExports' } as const;

/** JOB_IN_PROGRESS once the organization's limit is reached. Two requests at the same moment may both pass. */
export const assertJobCapacity = (kind: keyof typeof limitNames, running: number): void => {
  const most = organizationLimit(limitNames[kind]);
  if (running < most) return;
  throw new ApiError(
    'JOB_IN_PROGRESS',
    `An organization can run at most ${most} ${kind} at once. Start this one when another has ended`,
    { running, most },
  );
};
