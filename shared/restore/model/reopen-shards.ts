/** A restore that is resumed goes through those of its shards again in which something failed, or does not add up. */
import { commit, set, type Tenant, transactionMax, walk } from '../../platform/index.ts';
import { touchedCount } from './reconcile-counts.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey, workPartition } from './record.ts';
import { updateRunning } from './running-restore.ts';

/** All shards of a restore, by number. */
export const readShards = async (tenant: Tenant, restoreJobId: string): Promise<readonly RestoreShardRecord[]> => {
  const shards: RestoreShardRecord[] = [];
  for await (const item of walk({ pk: workPartition(tenant, restoreJobId), prefix: 'SHARD#' }))
    shards.push(item as RestoreShardRecord);
  return shards;
};

/**
 * Takes back what was counted of them: what is found as it should be counts again. A shard that was not written to its end goes
 * on behind its checkpoint anyway. Twice is as good as once.
 */
export const reopenShards = async (tenant: Tenant, { id, attempt }: Pick<RestoreRecord, 'id' | 'attempt'>): Promise<void> => {
  const failed = (await readShards(tenant, id)).filter((shard) => shard.failed > 0 || !addsUp(shard));
  for (let n = 0; n < failed.length; n += transactionMax - 1) {
    const some = failed.slice(n, n + transactionMax - 1);
    const documents = some.filter(({ range }) => range !== undefined);
    const less = (of: (shard: RestoreShardRecord) => number): number => documents.reduce((sum, shard) => sum - of(shard), 0);
    await commit([
      updateRunning(tenant, id, {
        set: { failures: [] },
        add: {
          written: less(({ written }) => written),
          deleted: less(({ deleted }) => deleted),
          raced: less(({ raced }) => raced),
          failed: less((shard) => shard.failed),
        },
        expected: { attempt },
      }),
      ...some.map((shard) => reopened(tenant, id, shard)),
    ]);
  }
};

/** One that is written accounts for all that it was to touch; none ever for more. */
const addsUp = ({ plan, isWritten, written, deleted, raced, failed }: RestoreShardRecord): boolean => {
  const accounted = written + deleted + raced + failed;
  return isWritten ? accounted === touchedCount(plan) && deleted <= plan.delete : accounted <= touchedCount(plan);
};

const reopened = (tenant: Tenant, id: string, { number, runs, failed }: RestoreShardRecord) =>
  set(
    restoreKey.shard(tenant, id, number),
    {
      // A run that is still at it tells nothing any more.
      runs: runs + 1,
      isUnsure: true,
      isReopened: true,
      isWritten: false,
      writtenTo: undefined,
      stalledSince: undefined,
      ...{ written: 0, deleted: 0, raced: 0, failed: 0, failures: [] },
    },
    { expected: { runs, failed } },
  );
