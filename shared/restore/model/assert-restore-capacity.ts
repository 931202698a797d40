/** Limit of concurrent restores per organization: all organizations share the account's Lambda concurrency. */
import { assertJobCapacity, countRunningJobs } from '../../job/index.ts';
import { type Tenant, walk } from '../../platform/index.ts';
import { type RunningRestore, restoreKey, runningRestores } from './record.ts';

/** Throws JOB_IN_PROGRESS at the limit. */
export const assertRestoreCapacity = async (tenant: Tenant): Promise<void> =>
  assertJobCapacity('restores', await countRunningRestores(tenant));

export const countRunningRestores = async (tenant: Tenant): Promise<number> => {
  // A `dueAt` marks a restore that has ended and only waits for a resume or its clean-up.
  const running = (await restoreMarks(tenant)).filter(({ dueAt }) => dueAt === undefined);
  return countRunningJobs(running.map(({ restoreJobId }) => restoreKey.restore(tenant, restoreJobId)));
};

/** The marks of all restores that run, or have ended and are not cleaned up yet. */
export const restoreMarks = ({ organizationId }: Tenant): Promise<readonly RunningRestore[]> =>
  Array.fromAsync(walk<RunningRestore>({ pk: runningRestores, prefix: `${organizationId}#` }));
