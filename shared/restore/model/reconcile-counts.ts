/** Every document of a plan is accounted for: written, deleted, found there by then, or failed. */
import { JobFailure } from '../../job/index.ts';
import type { Failure, PlanCounts, RestoreShardRecord } from './record.ts';

/** What became of the documents, or of the users, of a plan. */
export interface ShardTotals {
  /** Those that were to be touched, and of them those that were to be deleted. */
  readonly planned: number;
  readonly toDelete: number;
  readonly written: number;
  readonly deleted: number;
  readonly raced: number;
  readonly failed: number;
  /** Left as they were, by the plan. */
  readonly skip: number;
  readonly unchanged: number;
  readonly failures: readonly Failure[];
}

export const touchedCount = ({ create, overwrite, delete: deleted }: PlanCounts): number => create + overwrite + deleted;

/** The sums over shards. */
export const sumShards = (shards: readonly RestoreShardRecord[]): ShardTotals => {
  const sum = (of: (shard: RestoreShardRecord) => number): number => shards.reduce((total, shard) => total + of(shard), 0);
  return {
    planned: sum(({ plan }) => touchedCount(plan)),
    toDelete: sum(({ plan }) => plan.delete),
    written: sum(({ written }) => written),
    deleted: sum(({ deleted }) => deleted),
    raced: sum(({ raced }) => raced),
    failed: sum(({ failed }) => failed),
    skip: sum(({ plan }) => plan.skip),
    unchanged: sum(({ plan }) => plan.unchanged),
    failures: firstFailures(shards.flatMap(({ failures }) => failures)),
  };
};

/** Why a restore is not whole though it came to its end; undefined if every document of the plan is as it should be. */
export const countMismatch = (account: ShardTotals, what: 'documents' | 'users' = 'documents'): JobFailure | undefined => {
  const { planned, toDelete, written, deleted, raced, failed } = account;
  const accounted = written + deleted + raced + failed;
  if (accounted !== planned)
    return new JobFailure(
      'COUNT_MISMATCH',
      `Of ${planned} ${what} to be written or deleted, ${accounted} are accounted for; the target may have been changed in part`,
      { planned, accounted, failed },
    );
  // One that was to be written and was deleted makes up for one of which nothing is known.
  const toWrite = planned - toDelete;
  if (deleted > toDelete || written + raced > toWrite)
    return new JobFailure(
      'COUNT_MISMATCH',
      `${written} ${what} were written and ${deleted} deleted, where ${toWrite} and ${toDelete} were to be; the target was changed`,
      { planned, written, deleted, failed },
    );
  if (failed === 0) return undefined;
  return new JobFailure('COUNT_MISMATCH', `${failed} of ${planned} ${what} could not be written; failures lists them`, {
    planned,
    failed,
  });
};

const failuresMax = 100;
/** An item has room for 400 KB; a path alone may take 6. */
const failuresBytesMax = 64 << 10;

/** The first by path, as many as are told one by one. */
export const firstFailures = (failures: readonly Failure[]): readonly Failure[] => {
  let bytes = 0;
  return [...failures]
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .slice(0, failuresMax)
    .filter(({ path, code, message }) => {
      bytes += Buffer.byteLength(path) + Buffer.byteLength(code) + Buffer.byteLength(message);
      return bytes <= failuresBytesMax;
    });
};
