import { check, commit } from '../../platform/index.ts';
import { restoreKey, type WriteCounts } from '../model/record.ts';
import type { WriteClaim, WriteRun } from './write-progress.ts';

export type AcknowledgedWrites = Pick<WriteCounts, 'written' | 'deleted'>;

/**
 * Counts writes that were acknowledged after the restore had ended but before its writers noticed. Informational only, and kept
 * apart, because the next attempt finds and counts these documents itself. So does another run that has the shard meanwhile.
 */
export const recordWritesAfterEnd = async (
  { context: { tenant }, restore: { id, attempt } }: Pick<WriteRun, 'context' | 'restore'>,
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
        ':written': written,
        ':deleted': deleted,
        ':attempt': attempt,
        ':failed': 'failed',
        ':cancelled': 'cancelled',
      },
    },
    check(restoreKey.shard(tenant, id, number), { runs: run }),
  ]);
};
