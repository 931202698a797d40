import { addOrigin, decodeStatistics, mergeStatistics, type StatisticsByCollection } from '../../anomaly/index.ts';
import { workPartition } from '../../job/index.ts';
import { type Tenant, walk } from '../../platform/index.ts';
import {
  type BackupRecord,
  type OriginContents,
  type PartRecord,
  presentIn,
  type ShardRecord,
  type StoredDelta,
} from '../../stored-backup/index.ts';

export interface WorkItems {
  readonly shards: readonly ShardRecord[];
  /** In name order. */
  readonly parts: readonly PartRecord[];
  readonly delta?: StoredDelta | undefined;
  readonly origin?: OriginContents;
  /** Of all parts together; undefined if some part has none. */
  readonly statistics: StatisticsByCollection | undefined;
}

/** Throws unless every shard of the plan is done and all its documents are in parts. */
export const readWorkItems = async (
  tenant: Tenant,
  backup: BackupRecord,
  origin: OriginContents | undefined,
): Promise<WorkItems> => {
  const pk = workPartition(tenant, backup.id);
  const shards: ShardRecord[] = [];
  // An abandoned plan may have left more shards.
  for await (const shard of walk<ShardRecord>({ pk, prefix: 'SHARD#' }))
    if (shard.number < (backup.shards ?? 0)) shards.push(shard);
  const parts: PartRecord[] = [];
  const statistics: StatisticsByCollection = new Map();
  let isWhole = true;
  // The statistics are added up at once: those of all parts would take too much memory.
  for await (const { statistics: ofPart, ...part } of walk<PartRecord>({ pk, prefix: 'PART#' })) {
    parts.push(part);
    if (ofPart !== undefined) mergeStatistics(statistics, decodeStatistics(ofPart));
    else if (shards.some(({ number, range }) => number === part.number && range !== undefined)) isWhole = false;
  }
  if (shards.length !== backup.shards) throw new Error(`expected ${backup.shards} shard items, found ${shards.length}`);
  for (const { number, isDone, documents, range } of shards) {
    const present = parts.filter((part) => part.number === number).reduce((sum, part) => sum + presentIn(part), 0);
    if (!isDone) throw new Error(`shard ${number} is not done`);
    if (range !== undefined && present !== documents)
      throw new Error(`shard ${number}: expected ${documents} documents, found ${present}`);
  }
  // Shards of one backup are all copied in the same way.
  if (!parts.some(({ isRelative }) => isRelative))
    // Its documents were written from the delta; a locked one cannot be deleted.
    return {
      shards,
      parts,
      ...(backup.lockedUntil !== null && { delta: backup.delta }),
      statistics: isWhole ? statistics : undefined,
    };
  if (!origin) throw new Error('there is no base that the parts differ from');
  addOrigin(statistics, origin.collections);
  return { shards, parts, delta: backup.delta, origin, statistics: isWhole ? statistics : undefined };
};
