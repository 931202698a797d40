/** Limit of concurrent restores per organization: all organizations share the account's Lambda concurrency. */
import { assertJobCapacity, countRunningJobs, runningItemsMax } from '../../job/index.ts';
import { type Tenant, walk } from '../../platform/index.ts';
import { type RunningRestore, restoreKey, runningRestores } from './record.ts';

/** Throws JOB_IN_PROGRESS at the limit. */
export const assertRestoreCapacity = async (tenant: Tenant): Promise<void> =>
  assertJobCapacity('restores', await countRunningRestores(tenant));

export const countRunningRestores = async (tenant: Tenant): Promise<number> =>
  countRunningJobs((await runningRestoreIds(tenant)).map((id) => restoreKey.restore(tenant, id)));

/** Restores that are pending or running, or have ended and are not cleaned up yet. */
export const runningRestoreIds = async (tenant: Tenant): Promise<readonly string[]> => {
  const ids: string[] = [];
  const range = { pk: runningRestores, prefix: `${tenant.organizationId}#` };
  // A `dueAt` marks a restore that has ended and only waits for a resume or its clean-up.
  for await (const { restoreJobId, dueAt } of walk<RunningRestore>(range))
    if (dueAt === undefined && ids.push(restoreJobId) === runningItemsMax) break;
  return ids;
};
