import { runningItemsMax } from '../../job/index.ts';
import { query, type Tenant } from '../../platform/index.ts';
import { type RunningTest, runningTests } from './record.ts';

/** Runs that are pending or running, or have ended and are not cleaned up yet. */
export const runningTestIds = async ({ organizationId }: Tenant): Promise<readonly string[]> => {
  const { items } = await query<RunningTest>({ pk: runningTests, prefix: `${organizationId}#`, limit: runningItemsMax });
  return items.map(({ runId }) => runId);
};
