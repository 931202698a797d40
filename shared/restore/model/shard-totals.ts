/** Every document of a plan is accounted for: written, deleted, already there, erased meanwhile, or failed. */
import { JobFailure } from '../../job/index.ts';
import { takeWithinBytes } from '../../platform/index.ts';
import type { Failure, PlanCounts, RestoreShardRecord, WriteCounts } from './record.ts';

type AllCounts = Required<WriteCounts>;

const countEach = (of: (name: keyof WriteCounts) => number): AllCounts => ({
  written: of('written'),
  deleted: of('deleted'),
  raced: of('raced'),
  failed: of('failed'),
  erased: of('erased'),
});

export const noWrites = countEach(() => 0);
export const sumCounts = (all: readonly WriteCounts[]): AllCounts =>
  countEach((name) => all.reduce((sum, counts) => sum + (counts[name] ?? 0), 0));
export const subtractCounts = (from: WriteCounts, counts: WriteCounts): AllCounts =>
  countEach((name) => (from[name] ?? 0) - (counts[name] ?? 0));

/** Outcomes of the documents, or of the users, of a plan. */
interface ShardTotals extends WriteCounts {
  /** Documents that the plan touches, and how many of them it deletes. */
  readonly planned: number;
  readonly toDelete: number;
  /** Left as they were, by the plan. */
  readonly skip: number;
  readonly unchanged: number;
  readonly failures: readonly Failure[];
}

export const touchedCount = ({ create, overwrite, delete: deleted }: PlanCounts): number => create + overwrite + deleted;

export const sumShards = (shards: readonly RestoreShardRecord[]): ShardTotals => {
  const sum = (of: (shard: RestoreShardRecord) => number): number => shards.reduce((total, shard) => total + of(shard), 0);
  return {
    planned: sum(({ plan }) => touchedCount(plan)),
    toDelete: sum(({ plan }) => plan.delete),
    ...sumCounts(shards),
    skip: sum(({ plan }) => plan.skip),
    unchanged: sum(({ plan }) => plan.unchanged),
    failures: firstFailures(shards.flatMap(({ failures }) => failures)),
  };
};

/** Planned documents whose outcome is known. */
export const accountedFor = ({ written, deleted, raced, failed, erased = 0 }: WriteCounts): number =>
  written + deleted + raced + failed + erased;

/** The COUNT_MISMATCH of a restore that reached its end incomplete; undefined if every planned write succeeded. */
export const countMismatch = (totals: ShardTotals, what: 'documents' | 'users' = 'documents'): JobFailure | undefined => {
  const { planned, toDelete, written, deleted, raced, failed } = totals;
  const accounted = accountedFor(totals);
  if (accounted !== planned)
    return new JobFailure(
      'COUNT_MISMATCH',
      `Only ${accounted} of ${planned} planned ${what} are accounted for; the target may have been changed in part`,
      { planned, accounted, failed },
    );
  // The sum alone could hide a wrong delete behind a missing write.
  const toWrite = planned - toDelete;
  if (deleted > toDelete || written + raced > toWrite)
    return new JobFailure(
      'COUNT_MISMATCH',
      `${written} ${what} were written and ${deleted} deleted, but the plan was ${toWrite} and ${toDelete}; the target was changed`,
      { planned, written, deleted, failed },
    );
  if (failed === 0) return undefined;
  return new JobFailure(
    'COUNT_MISMATCH',
    `${failed} of ${planned} ${what} could not be written; the list of failures names them`,
    {
      planned,
      failed,
    },
  );
};

const failuresMax = 100;
/** An item holds 400 KB, and a path alone up to 6 KB. */
const failuresBytesMax = 64 << 10;

/** The first failures by path, as many as the record keeps. */
export const firstFailures = (failures: readonly Failure[]): readonly Failure[] =>
  takeWithinBytes(
    failures.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    {
      sizeOf: ({ path, code, message }) => Buffer.byteLength(path) + Buffer.byteLength(code) + Buffer.byteLength(message),
      maxBytes: failuresBytesMax,
      maxCount: failuresMax,
    },
  );
