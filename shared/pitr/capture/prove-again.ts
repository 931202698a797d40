/** Proves seconds of an earlier interruption that its own cycle could not prove, as long as the source has their history. */
import { recordKind } from '../../archive/index.ts';
import { collectionIdOf, type FirestoreDatabase } from '../../firestore/index.ts';
import { log, type Write } from '../../platform/index.ts';
import type { BackupDeps, BackupRecord } from '../../stored-backup/index.ts';
import { ChangeBatchReader, changeTimeOf } from '../batch/change-batch-reader.ts';
import { insertBatches } from '../batch/insert-batches.ts';
import { heardAheadMicros, listBatchesAfter } from '../batch/list-batches.ts';
import { openBatch } from '../batch/open-batch.ts';
import { WrittenHistory } from '../batch/written-history.ts';
import { Lookup } from '../coverage/document-lookup.ts';
import { PastTally } from '../coverage/past-tally.ts';
import { provePastMoments } from '../coverage/prove-past-moments.ts';
import { runsOf, secondsBetween } from '../coverage/unproven-runs.ts';
import type { Span } from '../listen/observed-changes.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type BatchRecord, type PitrRecord, pitrKey, type Sampled } from '../model/record.ts';
import { isEverySecondWanted } from './capture-mode.ts';
import { type ReadBudget, remainingPastReads } from './read-budget.ts';

/** The source keeps an hour. With point-in-time recovery it keeps more, but only whole minutes of it. */
const historyMicros = 55 * 60 * 1_000_000;
/** The rest is for later interruptions. */
const readsShare = 0.5;
const withinMs = 20_000;
/** Their names are held in memory. */
const changesMax = 100_000;
/** Collections that a batch names at most; an id may have 1,500 bytes. */
const collectionsMax = 100;

interface AgainOptions {
  readonly source: FirestoreDatabase;
  readonly keyBackup: BackupRecord;
  /** Whether no collection is known to be missing. */
  readonly areAllListened: boolean;
  readonly budget: ReadBudget;
  readonly deps: BackupDeps;
  readonly signal: AbortSignal;
}

export interface ProvenAgain {
  /** The period that was not proven, and what of it still is not. */
  readonly period: Sampled;
  readonly unproven: readonly Span[];
  /** Stores what was found as a batch of its own. */
  readonly writes: readonly Write[];
  /** The name of that batch, if it is the last one. */
  readonly lastBatch?: string;
}

/** Undefined if there is nothing to prove, or it fails: the period then stays as it is. */
export const proveAgain = async (cycle: CycleContext, options: AgainOptions): Promise<ProvenAgain | undefined> => {
  const { deps, signal } = options;
  const first = deps.clock.now().getTime() * 1_000 - historyMicros;
  const period = cycle.pitr.sampled?.find(({ from }) => microsOf(from) > first);
  if (!period || !isEverySecondWanted(cycle)) return undefined;
  try {
    return await provePeriod(cycle, period, options);
  } catch (error) {
    signal.throwIfAborted();
    log.warn('an earlier interruption could not be proven', { projectId: cycle.project.id, error });
    return undefined;
  }
};

const provePeriod = async (
  cycle: CycleContext,
  period: Sampled,
  { source, keyBackup, areAllListened, budget, deps, signal }: AgainOptions,
): Promise<ProvenAgain | undefined> => {
  const { tenant, pitr, positions } = cycle;
  const span = { from: microsOf(period.from), to: microsOf(period.to) };
  const stored = await storedIn(cycle, span, deps);
  if (!stored) return undefined;
  const { history, others } = stored;
  const known = others.map((name) => history.changesOf(name));
  // A restore uses ends of cycles, too.
  const ends = [...new Set(stored.batches.flatMap(({ from, to }) => [from, to]).map(microsOf))].filter(
    (at) => span.from < at && at < span.to,
  );
  const moments = [...new Set([...secondsBetween(span.from, span.to), ...ends])].sort((a, b) => a - b);
  const spans = positions.map(({ collectionId }) => ({ collectionId, ...span, count: undefined, changes: new Map(), moments }));
  const tally = new PastTally(readsShare * remainingPastReads(pitr, budget, deps.clock.now()));
  const lookup = new Lookup(source, signal);
  const batch = await openBatch(cycle, { keyBackup, deps, signal });
  const { writer } = batch;
  writer.history = history;
  try {
    const reads = { source, lookup, tally, writer, isEverySecond: true, others: ends, signal };
    const allUpTo = areAllListened && !hasLoss(pitr, span) ? span.to : undefined;
    const { unproven, unknownAt } = await provePastMoments(spans, { ...reads, history, allUpTo, withinMs });
    const lacking = [...new Set([...[...unproven.values()].flat(), ...unknownAt])];
    // Of a document that changed in another batch, that batch would hide what was found.
    if (others.some((name, n) => history.changesOf(name) !== known[n])) return undefined;
    const runs = runsOf({ ...span, moments }, lacking);
    const chunk = await writer.finish();
    if (!chunk) return { period, unproven: runs, writes: [] };
    const { from = period.from, to = period.to, id: partOf } = stored.whole ?? {};
    const found: BatchRecord = {
      ...pitrKey.batch(tenant, pitr.projectId, { to, id: batch.id }),
      id: batch.id,
      partOf,
      previous: null,
      from,
      to,
      isProven: true,
      path: batch.path,
      storageDestinationId: pitr.storageDestination.id,
      keyBackupId: keyBackup.id,
      chunk,
      changes: writer.changes,
      reads: tally.reads,
      collections: JSON.stringify([...new Set([...history.names].map(collectionIdOf))].slice(0, collectionsMax)),
    };
    const { writes, lastBatch } = insertBatches(tenant, pitr, { stored: stored.batches, added: [found] });
    return { period, unproven: runs, writes, ...(lastBatch !== undefined && { lastBatch }) };
  } finally {
    budget.reads += tally.reads;
    budget.pastReads += tally.reads;
    await writer.close();
  }
};

interface Stored {
  /** All batches from shortly before the period on, by name. */
  readonly batches: readonly BatchRecord[];
  /** The batch of the interruption; undefined if nothing changed in it. */
  readonly whole: BatchRecord | undefined;
  /** The changes within the period. */
  readonly history: WrittenHistory;
  /** Documents that changed in it in other batches. */
  readonly others: readonly string[];
}

/** Undefined if there is too much to read, or not every second is known of the batch. */
const storedIn = async ({ tenant, pitr }: CycleContext, { from, to }: Span, deps: BackupDeps): Promise<Stored | undefined> => {
  const batches: BatchRecord[] = [];
  for await (const one of listBatchesAfter(tenant, pitr.projectId, momentOf(from - heardAheadMicros))) batches.push(one);
  const isWhole = (one: BatchRecord): boolean =>
    one.partOf === undefined && microsOf(one.from) <= from && from < microsOf(one.to);
  const whole = batches.find(isWhole);
  // Some collections were captured further than the batch before the period.
  const before = batches.findLast((one) => microsOf(one.to) <= from);
  const read = batches.filter((one) => one === before || (microsOf(one.from) < to && microsOf(one.to) > from));
  if ((whole && !whole.isProven) || read.reduce((sum, { changes }) => sum + changes, 0) > changesMax) return undefined;
  const history = new WrittenHistory();
  const others = new Set<string>();
  const reader = new ChangeBatchReader(tenant, deps);
  try {
    for await (const { batch, leaf } of reader.read(read))
      for (let slot = 0; slot < leaf.count; slot++) {
        const at = changeTimeOf({ batch, leaf }, slot);
        if (at <= from || at > to) continue;
        const name = leaf.name(slot).toString();
        if (leaf.kind(slot) === recordKind.tombstone) history.deletion(name, at);
        else history.version(name, at);
        if ((batch.partOf ?? batch.id) !== whole?.id) others.add(name);
      }
  } finally {
    reader.close();
  }
  return { batches, whole, history, others: [...others] };
};

/** Whether other collections may have existed. */
const hasLoss = ({ gaps }: PitrRecord, { from, to }: Span): boolean =>
  gaps.some((gap) => gap.collections !== undefined && microsOf(gap.from) < to && (gap.to === null || microsOf(gap.to) > from));
