/** The second step: chooses one read time for the backup, and splits it into shards that are copied in parallel. */
import { planRanges, type ReadBilling, type ReadPlan } from '../../firestore/index.ts';
import { deleteWorkItems, failureOf, JobFailure, phaseEntry, workPartition } from '../../job/index.ts';
import {
  after,
  commit,
  epochSeconds,
  get,
  type Item,
  isConflict,
  keepYoungSmall,
  type Tenant,
  transactionMax,
  type Write,
  walk,
} from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  backupKey,
  type CapturedMoment,
  deltaNumber,
  historyKey,
  ledgerOf,
  type ShardRecord,
  type StoredDelta,
  searchFilter,
  sourceReadingOf,
} from '../../stored-backup/index.ts';
import { chooseOrigin, inMicros } from '../build/choose-origin.ts';
import { writeDelta } from '../build/write-delta.ts';
import { fallBackToFull, openParentArchive } from '../incremental/parent-archive.ts';
import { missingCollections } from '../model/missing-collections.ts';
import { checkRunningBackup, readRunningBackup, updateRunningBackup } from '../model/running-backup.ts';
import { planSyntheticFull } from './plan-synthetic-full.ts';
import { probeReads } from './prepare-backup.ts';
import { hasPointInTimeRecovery, mayOutliveSnapshot, pitrProbeReads, waitForNextMinute } from './read-time.ts';
import { type StepRun, withBackupStep } from './with-backup-step.ts';

/** Step Functions passes on at most 256 KiB, and copying a range takes a few minutes. */
export const rangesMax = 500;
/** Work items are deleted when the backup ends; this expires those that could not be. */
const workItemSeconds = 30 * 24 * 3_600;

/** The shard numbers. Idempotent: a second run finds the plan of the first, and of two concurrent runs only one plan is kept. */
export const planBackup = async (tenant: Tenant, backupId: string, deps: BackupDeps): Promise<{ shards: readonly number[] }> => {
  const shards = await withBackupStep(tenant, {
    backupId,
    deps,
    work: async (run) => run.backup.shards ?? (await createPlan(tenant, run)),
  });
  return { shards: Array.from({ length: shards }, (_, number) => number) };
};

const createPlan = async (tenant: Tenant, { backup, deps, signal, control }: StepRun): Promise<number> => {
  const until = after(deps.clock.now(), buildSeconds);
  const planNumber = (backup.planNumber ?? 0) + 1;
  const expected = { planNumber: backup.planNumber, shards: undefined };
  await commit([updateRunningBackup(tenant, backup.id, { set: { planNumber, phase: 'planning' }, expected })]);
  const fallback = await fallBackToFull(tenant, backup, deps);
  const { synthesizedFrom, builtFromReason } = backup;
  // Only a plan that was given up has left a reason.
  const earlier = builtFromReason === undefined ? [] : await claimedShards(tenant, backup);
  const planned = await (synthesizedFrom === undefined
    ? planReading(tenant, { backup: { ...backup, ...fallback }, deps, signal, control, planNumber, until })
    : planFromArchive(tenant, { backup, originId: synthesizedFrom, deps }));
  const shards = shardsOf(tenant, { backup, planned, now: deps.clock.now() });
  const isCurrent = checkRunningBackup(tenant, backup.id, { planNumber, shards: undefined });
  const items = afterClaims(shards, earlier);
  for (let start = 0; start < items.length; start += transactionMax - 1)
    await commit([...items.slice(start, start + transactionMax - 1).map((put): Write => ({ put })), isCurrent]);
  if (builtFromReason !== undefined)
    await deleteWorkItems(workPartition(tenant, backup.id), { prefix: 'PART#', conditions: [isCurrent] });
  try {
    await commit([
      updateRunningBackup(tenant, backup.id, {
        set: {
          phase: 'copying',
          waitingFor: undefined,
          shards: shards.length,
          documents: 0,
          readTime: planned.readTime,
          totalDocuments: planned.documents ?? null,
          unknownCollections: planned.unknown,
          ...planned.origin,
          ...fallback,
          ...(await comparison(tenant, backup)),
        },
        add: { reads: planned.reads },
        append: { timeline: [phaseEntry('copying', deps.clock.now())] },
        expected: { planNumber, shards: undefined },
      }),
    ]);
  } catch (error) {
    // The commit may have succeeded and its response been lost.
    const { backup: current } = await readRunningBackup(tenant, backup.id, deps.clock.now());
    if (!isConflict(error) || current.planNumber !== planNumber || current.shards === undefined) throw error;
  }
  return shards.length;
};

/** Changes are counted since the last backup of the same collections. */
const comparison = async (tenant: Tenant, backup: BackupRecord): Promise<Pick<BackupRecord, 'comparedWith'>> => {
  const history = backup.synthesizedFrom === undefined ? await get(historyKey(tenant, backup)) : undefined;
  return history ? { comparedWith: { backupId: history.backupId, readTime: history.readTime } } : {};
};

interface ShardPlan extends Omit<ReadPlan, 'collections'> {
  /** What its documents are taken from. */
  readonly origin?: {
    readonly builtFrom?: 'changes' | 'source';
    readonly builtFromReason?: string;
    readonly buildBase?: BackupRecord['buildBase'];
    readonly delta?: StoredDelta | undefined;
    readonly erasuresHeeded?: number;
    readonly auditedSince?: string;
  };
}

/** After so long, and above so many changes, the source is read instead: the step has 300 s, and reading is to be planned, too. */
const buildSeconds = 200;
export const changesMax = 2_000_000;

interface PlanRun extends StepRun {
  readonly planNumber: number;
  readonly until: Date;
}

/** Reads the source only if no captured moment has all of its documents. */
const planReading = async (tenant: Tenant, run: PlanRun): Promise<ShardPlan> => {
  const built = await planFromChanges(tenant, run);
  if (built && !('reason' in built)) return built;
  const reason = built && { builtFromReason: built.reason };
  return { ...(await planFromSource(tenant, run)), origin: { builtFrom: 'source', ...reason } };
};

/** Changes or a base that cannot be read are no reason to have no backup. */
const planFromChanges = async (tenant: Tenant, run: PlanRun): Promise<ShardPlan | { readonly reason: string } | undefined> => {
  const { backup, deps, signal } = run;
  if (backup.mustRead || !deps.changes) return undefined;
  if (backup.builtFromReason !== undefined) return { reason: backup.builtFromReason };
  try {
    const captured = await deps.changes.findMoment(tenant, { backup, deps, signal });
    if (!captured || 'reason' in captured) return captured;
    if (captured.changes > changesMax)
      return { reason: `${captured.changes} changes were captured since the base, of which at most ${changesMax} are sorted` };
    return await planFromMoment(tenant, run, captured);
  } catch (error) {
    const failure = failureOf(error);
    if (!failure || signal.aborted) throw error;
    return { reason: failure.message };
  }
};

/** Reads every batch: one that is lost or damaged rules the moment out before anything is copied. */
const planFromMoment = async (
  tenant: Tenant,
  { backup, deps, control, planNumber, until }: PlanRun,
  captured: CapturedMoment,
): Promise<ShardPlan> => {
  keepYoungSmall();
  const { moment } = captured;
  const origin = await chooseOrigin(tenant, backup, captured);
  const auditedSince = await captured.auditedSince(origin);
  const audited = auditedSince === undefined ? {} : { auditedSince };
  const heeded = backup.parentBackupId === null ? { erasuresHeeded: (await ledgerOf(tenant, backup))?.version ?? 0 } : {};
  const planned = await planFromArchive(tenant, { backup, originId: origin.id, deps });
  const delta = await writeDelta(tenant, {
    backup,
    planNumber,
    changes: captured.readChanges(),
    since: inMicros(origin.readTime),
    moment,
    until,
    filter: searchFilter(await readProject(tenant, backup.projectId)),
    deps,
    control,
  });
  const buildBase = { backupId: origin.id, readTime: origin.readTime };
  return {
    ...planned,
    readTime: moment,
    unknown: [],
    origin: { ...sourceReadingOf(origin), ...audited, ...heeded, builtFrom: 'changes', buildBase, delta },
  };
};

const planFromArchive = async (
  tenant: Tenant,
  { backup, originId, deps }: { readonly backup: BackupRecord; readonly originId: string; readonly deps: BackupDeps },
): Promise<ShardPlan> => {
  const origin = await openParentArchive(tenant, { child: backup, parentId: originId, deps });
  try {
    const planned = await origin.read(() => planSyntheticFull(origin.archive, { rangesMax }));
    // It lacks what its origin lacks, and was read from the source when that was.
    return { ...planned, unknown: origin.backup.unknownCollections, origin: sourceReadingOf(origin.backup) };
  } finally {
    origin.close();
  }
};

const planFromSource = async (tenant: Tenant, { backup, deps, signal }: StepRun): Promise<ShardPlan> => {
  const source = deps.openSource(tenant, await readProject(tenant, backup.projectId));
  const { collections, excludedCollections: excludeCollections } = backup;
  const options = { collections, excludeCollections, rangesMax, signal };
  try {
    const mayOutlive = mayOutliveSnapshot(backup);
    const pointInTimeRecovery = mayOutlive && (await hasPointInTimeRecovery(source, deps.clock.now(), options.signal));
    if (pointInTimeRecovery) await waitForNextMinute(deps.clock, options.signal);
    const found = await planRanges(source, { ...options, pointInTimeRecovery });
    const planned = mayOutlive ? { ...found, reads: found.reads + pitrProbeReads } : found;
    const missing = missingCollections(collections, planned.unknown);
    if (missing) throw new JobFailure('COLLECTION_NOT_FOUND', missing.message, missing.details);
    assertWithinReadLimit(backup, planned, source.billing);
    return planned;
  } finally {
    source.close();
  }
};

/**
 * Upper bound of the billed reads, if nothing is read twice; undefined if the source does not count. `bytes` is the size of all
 * documents: what is billed by size is at least that of documents without any, until it is known.
 */
export const estimateReads = (
  { documents, ranges, reads }: ReadPlan,
  { billing, bytes = 0 }: { readonly billing: ReadBilling; readonly bytes?: number },
): number | undefined => {
  if (documents === undefined) return undefined;
  // An empty range is billed as one read, and each range is counted separately.
  return probeReads + reads + billing.query(documents, bytes) + billing.count(documents) + 2 * Math.max(0, ranges.length - 1);
};

const assertWithinReadLimit = ({ maxReads }: BackupRecord, planned: ReadPlan, billing: ReadBilling): void => {
  const reads = estimateReads(planned, { billing }) ?? planned.reads;
  if (maxReads !== undefined && reads > maxReads) throw readLimitExceeded(maxReads, reads);
};

export const readLimitExceeded = (maxReads: number, reads: number): JobFailure =>
  new JobFailure('CANCELLED', `The backup would exceed maxReads: ${reads} reads, at most ${maxReads} allowed`, {
    maxReads,
    reads,
  });

/** Users come first: `accounts/…` sorts before `projects/…`, so the pages of the index are in the order of the shards. */
const shardsOf = (
  tenant: Tenant,
  {
    backup: { id, includeAuthUsers },
    planned: { ranges },
    now,
  }: { readonly backup: BackupRecord; readonly planned: ShardPlan; readonly now: Date },
): readonly ShardRecord[] =>
  [...(includeAuthUsers ? [undefined] : []), ...ranges].map((range, number) => ({
    ...backupKey.shard(tenant, id, number),
    number,
    ...(range && { range: JSON.stringify(range) }),
    parts: 0,
    isDone: false,
    documents: 0,
    counted: 0,
    reads: 0,
    ttl: epochSeconds(after(now, workItemSeconds)),
  })) satisfies readonly Item[];

/** The shards of a plan that was given up. */
const claimedShards = async (tenant: Tenant, { id }: BackupRecord): Promise<readonly ShardRecord[]> => {
  const all = await Array.fromAsync(walk<ShardRecord>({ pk: workPartition(tenant, id), prefix: 'SHARD#' }));
  return all.filter(({ number }) => number !== deltaNumber);
};

/** Part numbers are never claimed twice. One is left out, so that what a worker of the earlier plan stores is refused. */
const afterClaims = (planned: readonly ShardRecord[], earlier: readonly ShardRecord[]): readonly ShardRecord[] => {
  const claimed = new Map(earlier.map((shard) => [shard.number, { ...shard, parts: shard.parts + 1 }]));
  for (const shard of planned) claimed.set(shard.number, { ...shard, parts: claimed.get(shard.number)?.parts ?? shard.parts });
  return [...claimed.values()];
};
