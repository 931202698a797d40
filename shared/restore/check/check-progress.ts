/** What a run that checks writes down about its shard, each time in one transaction with the restore's own counters. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PartContents } from '../../backup/index.ts';
import { assertRunning, JobEndedError } from '../../job/index.ts';
import { commit, getAll, isConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import type { JournalPartRecord, PlanCounts, RestoreRecord, RestoreShardRecord } from '../model/record.ts';
import { restoreKey } from '../model/record.ts';
import { progressEvents } from '../model/restore-progress-events.ts';
import { updateRunning, checkRunning } from '../model/running-restore.ts';
import type { CheckClaim, CheckRun } from './check-run.ts';

/** Twenty workers write the same counters; a clash is over in milliseconds. */
const triesMax = 10;
const clashMs = 100;

type Job = Pick<RestoreRecord, 'id' | 'attempt'>;

/** The shard as it is now. Throws NotRunning if the restore has ended, or goes on in another attempt. */
const readShard = async (
  tenant: Tenant,
  { id, attempt }: Job,
  number: number,
): Promise<{ restore: RestoreRecord; shard: RestoreShardRecord }> => {
  const found = await getAll([restoreKey.restore(tenant, id), restoreKey.shard(tenant, id, number)]);
  const [record, shard] = found as [RestoreRecord | undefined, RestoreShardRecord | undefined];
  const restore = assertRunning(record);
  if (restore.attempt !== attempt) throw new JobEndedError('gone on with by another attempt');
  if (!shard) throw new Error(`there is no shard ${number}`);
  return { restore, shard };
};

/** Undefined if the shard is checked. */
export const claimNextPart = async (
  tenant: Tenant,
  job: Job,
  number: number,
  random: () => number,
): Promise<CheckClaim | undefined> => {
  const key = restoreKey.shard(tenant, job.id, number);
  for (let tries = 1; ; tries++) {
    const { shard } = await readShard(tenant, job, number);
    if (shard.isChecked) return undefined;
    const parts = shard.parts + 1;
    try {
      await commit([
        set(key, { parts }, { expected: { parts: shard.parts, isChecked: false } }),
        checkRunning(tenant, job.id, { attempt: job.attempt }),
      ]);
      return { shard: { ...shard, parts }, part: shard.parts };
    } catch (error) {
      if (!isConflict(error) || tries === triesMax) throw error;
      await pause(random() * clashMs);
    }
  }
};

/** What a run has found out since the claim, and how far it has come with that. */
export interface CheckResult {
  readonly plan: PlanCounts;
  /** Records of the backup that were looked at. */
  readonly records: number;
  /** Collection ids of documents that are restored. */
  readonly collections: Iterable<string>;
  readonly reads: number;
  /** The path up to which, itself included, everything is decided; undefined if nothing is. */
  readonly checkedTo?: string | undefined;
  readonly isChecked: boolean;
  /** What of the journal is stored with it: exactly what the plan counts as touched. */
  readonly part?: PartContents | undefined;
}

/**
 * Keeps a part of the journal with the plan that it is of. Throws NotRunning if the restore has ended, or if the shard was given
 * to another run.
 */
export const recordCheck = async (
  { context: parties, restore: job, deps: engine }: Pick<CheckRun, 'parties' | 'restore' | 'engine'>,
  { shard: { number }, part }: CheckClaim,
  checked: CheckResult,
): Promise<void> => {
  const { tenant } = context;
  for (let tries = 1; ; tries++) {
    const { restore, shard } = await readShard(tenant, job, number);
    if (shard.parts !== part + 1) throw new JobEndedError('checked by another worker');
    // The answer to a commit that did happen may have been lost.
    if (shard.stored === part) return;
    const after = shardAfter(shard, checked, part);
    const more = { checked: after.checked - shard.checked, reads: checked.reads };
    const { told, writes } = progressEvents(
      context,
      { ...restore, checked: restore.checked + more.checked, reads: restore.reads + more.reads },
      deps.clock.now(),
    );
    const { attempt, toldPercent } = restore;
    try {
      await commit([
        updateRunning(tenant, job.id, {
          add: more,
          // Whoever tells of a tenth is the only one: the others find it told.
          ...(told === undefined
            ? { expected: { attempt } }
            : { set: { toldPercent: told }, expected: { attempt, toldPercent } }),
        }),
        ...writes,
        set(restoreKey.shard(tenant, job.id, number), after, { expected: { parts: shard.parts, isChecked: false } }),
        ...(checked.part ? [partWrite(tenant, job.id, shard, part, checked.part)] : []),
      ]);
      return;
    } catch (error) {
      if (!isConflict(error) || tries === triesMax) throw error;
      await pause(deps.random() * clashMs);
    }
  }
};

/** One of an earlier attempt may lie there; what is kept is what the shard vouches for. */
const partWrite = (
  tenant: Tenant,
  id: string,
  { number, ttl }: RestoreShardRecord,
  part: number,
  stored: PartContents,
): Write => ({
  put: { ...restoreKey.part(tenant, id, number, part), number, part, ttl, ...stored } satisfies JournalPartRecord,
});

const shardAfter = (shard: RestoreShardRecord, checked: CheckResult, part: number) => ({
  stored: part,
  isChecked: checked.isChecked,
  // How many records there are was guessed: whoever is through has looked at all of them.
  checked: checked.isChecked ? shard.expected : Math.min(shard.expected, shard.checked + checked.records),
  plan: sumPlans([shard.plan, checked.plan]),
  collections: JSON.stringify(few([...(JSON.parse(shard.collections) as string[]), ...checked.collections])),
  reads: shard.reads + checked.reads,
  ...(checked.checkedTo !== undefined && { checkedTo: JSON.stringify(checked.checkedTo) }),
});

export const emptyPlan: PlanCounts = { create: 0, overwrite: 0, skip: 0, delete: 0, unchanged: 0 };

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

/** An item has room for 400 KB beside all else; collections are only counted by it. */
const collectionBytesMax = 150_000;

const few = (collections: readonly string[]): readonly string[] => {
  let bytes = 0;
  return [...new Set(collections)].filter((id) => {
    bytes += Buffer.byteLength(JSON.stringify(id)) + 1;
    return bytes <= collectionBytesMax;
  });
};
