/** How many restores one organization may have under way at once: what it runs takes functions that all organizations share. */
import { ApiError } from '../../contract/errors.ts';
import { runningRestoresMax } from '../../contract/limits.ts';
import { getAll, type Tenant, walk } from '../../platform/index.ts';
import { type RunningRestore, restoreKey, runningRestores } from './record.ts';

/** JOB_IN_PROGRESS once enough of them wait or run. Two that begin at the same moment may both be let in. */
export const assertRestoreCapacity = async (tenant: Tenant): Promise<void> => {
  const noted: string[] = [];
  const range = { pk: runningRestores, prefix: `${tenant.organizationId}#` };
  // What has ended and only waits to be resumed or forgotten does not count.
  for await (const { restoreJobId, dueAt } of walk<RunningRestore>(range))
    if (dueAt === undefined && noted.push(restoreJobId) === notedMax) break;
  if (noted.length < runningRestoresMax) return;
  const found = await getAll(noted.map((id) => restoreKey.restore(tenant, id)));
  const running = found.filter((restore) => restore?.status === 'pending' || restore?.status === 'running').length;
  if (running < runningRestoresMax && noted.length < notedMax) return;
  throw new ApiError(
    'JOB_IN_PROGRESS',
    `At most ${runningRestoresMax} restores of an organization run at once; start this one when another has ended`,
    { running, most: runningRestoresMax },
  );
};

/** As many as one read takes. */
const notedMax = 100;
