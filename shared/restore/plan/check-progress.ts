/** Commits the progress of a check: shard, restore counters and events in one transaction. */

import { JobEndedError, withoutWait } from '../../job/index.ts';
import { sumTransforms, type TransformCounts } from '../../mask/index.ts';
import { commit, retryOnConflict, set, type Tenant, takeWithinBytes } from '../../platform/index.ts';
import type { PartContents } from '../../stored-backup/index.ts';
import { restoreProgressEvents } from '../model/progress-events.ts';
import {
  type JournalPartRecord,
  type PlanCounts,
  type PlannedDeletions,
  type RestoreShardRecord,
  restoreKey,
} from '../model/record.ts';
import { checkRunning, type RunningAttempt, readShard, updateRunning } from '../model/running-restore.ts';
import type { CheckClaim, CheckedRange, CheckRun } from './check-run.ts';
import { noDeletions, sumDeletions } from './deletions.ts';

/** Twenty workers update the same counters; a conflict resolves within milliseconds. */
const conflictRetry = { attempts: 10, jitterMs: 100 };

/** Undefined if the shard is checked. */
export const claimNextCheck = (
  tenant: Tenant,
  { job, number, random }: { readonly job: RunningAttempt; readonly number: number; readonly random: () => number },
): Promise<CheckClaim | undefined> =>
  retryOnConflict({ ...conflictRetry, random }, async () => {
    const { shard } = await readShard(tenant, job, number);
    if (shard.isChecked) return undefined;
    const parts = shard.parts + 1;
    await commit([
      set(restoreKey.shard(tenant, job.id, number), { parts }, { expected: { parts: shard.parts, isChecked: false } }),
      checkRunning(tenant, job.id, { attempt: job.attempt }),
    ]);
    return { shard: { ...shard, parts }, part: shard.parts };
  });

export interface PlannedPart extends PlannedDeletions {
  readonly plan: PlanCounts;
  /** Of a masked copy. */
  readonly transformed?: TransformCounts | undefined;
  readonly records: number;
  /** Documents in scope that an erasure hides. */
  readonly erased: number;
  /** Collection ids of restored documents. */
  readonly collections: Iterable<string>;
  /** The stored journal part: exactly the documents that the plan touches. */
  readonly part?: PartContents | undefined;
}

/** Commits a journal part together with its plan. Throws JobEndedError if the restore has ended or another run has the shard. */
export const recordCheck = (
  { context, restore: job, deps: { clock, random } }: Pick<CheckRun, 'context' | 'restore' | 'deps'>,
  { shard: { number }, part }: CheckClaim,
  result: CheckedRange & PlannedPart,
): Promise<void> =>
  retryOnConflict({ ...conflictRetry, random }, async () => {
    const { tenant } = context;
    const { restore, shard } = await readShard(tenant, job, number);
    if (shard.parts !== part + 1) throw new JobEndedError('checked by another worker');
    // An earlier commit succeeded although its response was lost.
    if (shard.stored === part) return;
    const after = shardAfter(shard, result, part);
    const add = { checked: after.checked - shard.checked, reads: result.reads };
    const { reportedPercent, writes } = restoreProgressEvents(
      context,
      { ...withoutWait(restore), checked: restore.checked + add.checked, reads: restore.reads + add.reads },
      clock.now(),
    );
    const { attempt, toldPercent } = restore;
    const partRecord: JournalPartRecord | undefined = result.part && {
      ...restoreKey.part(tenant, job.id, { number, part }),
      number,
      part,
      ttl: shard.ttl,
      ...result.part,
    };
    await commit([
      updateRunning(tenant, job.id, {
        add,
        set: { waitingFor: undefined, ...(reportedPercent !== undefined && { toldPercent: reportedPercent }) },
        // Only the worker that advances `toldPercent` emits the event.
        expected: { attempt, ...(reportedPercent !== undefined && { toldPercent }) },
      }),
      ...writes,
      set(restoreKey.shard(tenant, job.id, number), after, { expected: { parts: shard.parts, isChecked: false } }),
      // Overwrites the part of an earlier attempt, if there is one.
      ...(partRecord ? [{ put: partRecord }] : []),
    ]);
  });

const shardAfter = (shard: RestoreShardRecord, result: CheckedRange & PlannedPart, part: number) => ({
  stored: part,
  isChecked: result.isChecked,
  // `expected` is an estimate; a checked shard has checked all of its records.
  checked: result.isChecked ? shard.expected : Math.min(shard.expected, shard.checked + result.records),
  plan: sumPlans([shard.plan, result.plan]),
  erasedInCheck: (shard.erasedInCheck ?? 0) + result.erased,
  ...sumDeletions([{ ...noDeletions, ...shard }, result]),
  collections: JSON.stringify(fitting([...(JSON.parse(shard.collections) as string[]), ...result.collections])),
  ...(result.transformed && {
    transformed: sumTransforms([shard.transformed, result.transformed], result.transformed.matches.length),
  }),
  reads: shard.reads + result.reads,
  ...(result.checkedTo !== undefined && { checkedTo: JSON.stringify(result.checkedTo) }),
});

export const emptyPlan: PlanCounts = { create: 0, overwrite: 0, skip: 0, delete: 0, unchanged: 0 };

/** Whether neither the backup nor the target has a document in scope. */
export const isEmptyPlan = (plan: PlanCounts): boolean => Object.values(plan).every((count) => count === 0);

export const sumPlans = (plans: readonly PlanCounts[]): PlanCounts =>
  plans.reduce(
    (sum, plan) => ({
      create: sum.create + plan.create,
      overwrite: sum.overwrite + plan.overwrite,
      skip: sum.skip + plan.skip,
      delete: sum.delete + plan.delete,
      unchanged: sum.unchanged + plan.unchanged,
    }),
    emptyPlan,
  );

/** An item holds 400 KB. The collections are only counted. */
const collectionBytesMax = 150_000;

const fitting = (collections: readonly string[]): readonly string[] =>
  takeWithinBytes([...new Set(collections)], {
    sizeOf: (id) => Buffer.byteLength(JSON.stringify(id)) + 1,
    maxBytes: collectionBytesMax,
  });
