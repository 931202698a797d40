import { type Tenant, walk } from '../../platform/index.ts';
import { type RunningTest, restoreTestKey } from './record.ts';

/** Runs that are pending or running, or have ended and are not cleaned up yet. */
export const runningTestIds = async (tenant: Tenant): Promise<readonly string[]> => {
  const { pk, sk: prefix } = restoreTestKey.running(tenant, '');
  return (await Array.fromAsync(walk<RunningTest>({ pk, prefix }))).map(({ runId }) => runId);
};
