/** A resumed restore rewrites the shards that had failures or whose counts do not add up. */
import { workPartition } from '../../job/index.ts';
import { commit, set, type Tenant, transactionMax, walk } from '../../platform/index.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey } from './record.ts';
import { updateRunning } from './running-restore.ts';
import { accountedFor, noWrites, subtractCounts, sumCounts, touchedCount } from './shard-totals.ts';

export const readShards = (tenant: Tenant, restoreJobId: string): Promise<readonly RestoreShardRecord[]> =>
  Array.fromAsync(walk<RestoreShardRecord>({ pk: workPartition(tenant, restoreJobId), prefix: 'SHARD#' }));

/**
 * Subtracts their counts: documents that are found as planned are counted again. A shard that was not finished continues behind
 * its checkpoint anyway. Idempotent.
 */
export const reopenShards = async (tenant: Tenant, { id, attempt }: Pick<RestoreRecord, 'id' | 'attempt'>): Promise<void> => {
  const failed = (await readShards(tenant, id)).filter((shard) => shard.failed > 0 || !addsUp(shard));
  for (let n = 0; n < failed.length; n += transactionMax - 1) {
    const batch = failed.slice(n, n + transactionMax - 1);
    const counted = sumCounts(batch.filter(({ range }) => range !== undefined));
    await commit([
      updateRunning(tenant, id, {
        set: { failures: [] },
        add: { ...subtractCounts(noWrites, counted) },
        expected: { attempt },
      }),
      ...batch.map((shard) => reopened(tenant, id, shard)),
    ]);
  }
};

/** A written shard accounts for everything it touches; no shard accounts for more. */
const addsUp = (shard: RestoreShardRecord): boolean => {
  const { plan, isWritten, deleted } = shard;
  const accounted = accountedFor(shard);
  return isWritten ? accounted === touchedCount(plan) && deleted <= plan.delete : accounted <= touchedCount(plan);
};

const reopened = (tenant: Tenant, id: string, { number, runs, failed }: RestoreShardRecord) =>
  set(
    restoreKey.shard(tenant, id, number),
    {
      // Fences off a run that is still active.
      runs: runs + 1,
      isUnsure: true,
      isReopened: true,
      isWritten: false,
      writtenTo: undefined,
      stalledSince: undefined,
      ...noWrites,
      failures: [],
    },
    { expected: { runs, failed } },
  );
