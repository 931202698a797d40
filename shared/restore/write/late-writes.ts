import { commit } from '../../platform/index.ts';
import { restoreKey } from '../model/record.ts';
import type { WriteClaim, WriteRun } from './write-progress.ts';

/** Writes that were acknowledged. */
export interface AcknowledgedWrites {
  readonly written: number;
  readonly deleted: number;
}

/**
 * What the target acknowledged after the restore had ended, before its writers had heard of it: counted for whoever looks. It is
 * kept apart, because the next attempt finds these documents as they should be and counts them itself. So does a run that was
 * given the shard meanwhile: then nothing is counted here.
 */
export const recordWritesAfterEnd = async (
  { context: { tenant }, restore: { id, attempt } }: Pick<WriteRun, 'parties' | 'restore'>,
  { shard: { number }, run }: WriteClaim,
  { written, deleted }: AcknowledgedWrites,
): Promise<void> => {
  if (written + deleted === 0) return;
  await commit([
    {
      update: restoreKey.restore(tenant, id),
      expression: 'ADD lateWritten :written, lateDeleted :deleted',
      condition: 'attempt = :attempt AND (#status IN (:failed, :cancelled) OR attribute_exists(failure))',
      names: { '#status': 'status' },
      values: {
        ...{ ':written': written, ':deleted': deleted, ':attempt': attempt },
        ...{ ':failed': 'failed', ':cancelled': 'cancelled' },
      },
    },
    { check: restoreKey.shard(tenant, id, number), condition: 'runs = :run', values: { ':run': run } },
  ]);
};
