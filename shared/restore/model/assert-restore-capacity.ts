/** Limit of concurrent restores per organization: all organizations share the account's Lambda concurrency. */
import { ApiError } from '../../contract/errors.ts';
import { runningRestoresMax } from '../../contract/limits.ts';
import { getAll, type Tenant, walk } from '../../platform/index.ts';
import { type RunningRestore, restoreKey, runningRestores } from './record.ts';

/** Throws JOB_IN_PROGRESS at the limit. Two requests at the same moment may both pass. */
export const assertRestoreCapacity = async (tenant: Tenant): Promise<void> => {
  const ids: string[] = [];
  const range = { pk: runningRestores, prefix: `${tenant.organizationId}#` };
  // A `dueAt` marks a restore that has ended and only waits for a resume or its clean-up.
  for await (const { restoreJobId, dueAt } of walk<RunningRestore>(range))
    if (dueAt === undefined && ids.push(restoreJobId) === idsMax) break;
  if (ids.length < runningRestoresMax) return;
  const found = await getAll(ids.map((id) => restoreKey.restore(tenant, id)));
  const running = found.filter((restore) => restore?.status === 'pending' || restore?.status === 'running').length;
  if (running < runningRestoresMax && ids.length < idsMax) return;
  throw new ApiError(
    'JOB_IN_PROGRESS',
    `An organization can run at most ${runningRestoresMax} restores at once; try again when one has ended`,
    { running, most: runningRestoresMax },
  );
};

/** One BatchGetItem. */
const idsMax = 100;
