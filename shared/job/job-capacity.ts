import { ApiError } from '../contract/errors.ts';
import { getAll, type Key } from '../platform/index.ts';
import type { JobRecord } from './running-job.ts';

/** Running items that one read of the table returns; an organization with more of them is always at its limit. */
export const runningItemsMax = 100;

/**
 * JOB_IN_PROGRESS once `max` of the jobs are pending or running. Jobs that have ended and wait for their clean-up do not count.
 * Two requests at the same moment may both pass.
 */
export const assertJobCapacity = async (
  jobs: readonly Key<Pick<JobRecord, 'status'>>[],
  { kind, max }: { readonly kind: 'backups' | 'restores'; readonly max: number },
): Promise<void> => {
  if (jobs.length < max) return;
  const found = await getAll(jobs);
  const running = found.filter((job) => job?.status === 'pending' || job?.status === 'running').length;
  if (running < max && jobs.length < runningItemsMax) return;
  throw new ApiError(
    'JOB_IN_PROGRESS',
    `An organization can run at most ${max} ${kind} at once. Start this one when another has ended`,
    { running, most: max },
  );
};
