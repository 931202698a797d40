/** Concludes a cycle: its changes are proven complete, or the cycle fails. */
import type { CapturedBatch } from '../../anomaly/index.ts';
import type { ObjectEntry } from '../../archive/index.ts';
import { countGroup, listCollections, probeSource, ResumeTokenLost, SourceError } from '../../firestore/index.ts';
import type { BackupRead } from '../base/base-backup.ts';
import { type Coverage, type CoverageOptions, checkCoverage } from '../coverage/check-coverage.ts';
import { assertDeletionsComplete, countAfter, isStillCounted } from '../coverage/check-deletions.ts';
import { BudgetSpent, Lookup } from '../coverage/document-lookup.ts';
import { findShortLivedRoots } from '../coverage/find-short-lived-roots.ts';
import { proveSeconds } from '../coverage/prove-seconds.ts';
import type { Successor } from '../listen/group-stream.ts';
import type { ListenSession } from '../listen/listen-session.ts';
import type { CollectionGroup, ObservedChanges, Span } from '../listen/observed-changes.ts';
import { floorSecond, microsOf, momentOf } from '../model/micro-time.ts';
import type { Gap } from '../model/record.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { proveInterruption } from './prove-interruption.ts';
import type { ReadBudget } from './read-budget.ts';

interface CycleEnd {
  /** Collections discovered by a base, which are not captured yet. */
  readonly found: readonly ResumePosition[];
  /** Everything up to here is captured, and the root collections were listed, in microseconds. */
  readonly from: number;
  /** Reads allowed to prove moments without listening. */
  readonly pastReadsLeft: number;
  /** Look-ups allowed beyond one per changed document to prove every second; undefined if only the end is wanted. */
  readonly lookupsLeft: number | undefined;
  readonly budget: ReadBudget;
  readonly isCheckDue: CoverageOptions['isDue'];
  /** Whether no collection is known to be missing. */
  readonly areAllListened: boolean;
  /** Read times of backups that may become bases, if groups were not listened to then. */
  readonly findReadTimes: () => Promise<readonly BackupRead[]>;
  readonly successor: Successor;
  readonly signal: AbortSignal;
}

export interface Captured {
  readonly to: number;
  readonly positions: readonly ResumePosition[];
  /** Undefined if nothing changed. */
  readonly chunk: ObjectEntry | undefined;
  readonly changes: number;
  /** Whether every whole second is known. */
  readonly isProven: boolean;
  /** Periods without listening, proven or not. */
  readonly unobserved: readonly Span[];
  /** Periods, both ends exclusive, that are not proven. */
  readonly unproven: readonly Span[];
  /** Gaps of collections that were found late, or existed only between two captures. */
  readonly unprovenGaps: readonly Gap[];
  /** What happened to the documents of each changed collection, and what the changed ones look like. */
  readonly counts: CapturedBatch['counts'];
  readonly statistics: CapturedBatch['statistics'];
  /** The ids of the changed collections. */
  readonly collections: readonly string[];
  /** New root collections whose id existed below documents before; those documents were not captured. */
  readonly uncovered: readonly string[];
  /** Whether all collections were captured, at the end. */
  readonly coverage: Pick<Coverage, 'verdict' | 'isTried'>;
}

export const concludeCycle = async (session: ListenSession, end: CycleEnd): Promise<Captured> => {
  const { source, observed } = session;
  const { from, found, successor, signal, budget } = end;
  const lookup = new Lookup(source, signal);
  const tally = { reads: 0 };
  try {
    await session.endCycle(successor);
    if (found.length > 0) await session.add(found, successor, observed);
    // Without a collection there is no stream that reports the time.
    const heard = heardOf(observed) ?? microsOf((await probeSource(source, signal)).readTime);
    tally.reads += observed.groups.size === 0 ? 2 : 1;
    if (heard < from) throw new ResumeTokenLost('the time of the source went back');
    const uncovered = await addRoots(session, { end, heard, tally });
    const earliest = Math.min(heard, heardOf(observed) ?? heard);
    // With a failed stream only whole seconds are known at all streams.
    const to = session.isBroken ? Math.max(from, floorSecond(earliest)) : earliest;
    if (to < from) throw new ResumeTokenLost('the time of the source went back');
    const groups = [...observed.groups.values()];
    for (const group of groups) tally.reads += await assertDeletionsComplete(group, { source, lookup, signal });
    const readTimes = groups.some(({ unobserved }) => unobserved) ? await end.findReadTimes() : [];
    const others = [to, ...readTimes.map(({ at }) => at)];
    const baseAt = readTimes.find(({ isRequested }) => isRequested)?.at;
    const isProven = await proveAll(end, { observed, lookup, others });
    const shortLived = isProven ? await findShortLivedRoots(observed, { source, from, to, signal, tally }) : [];
    const past = await proveInterruption(observed, { ...end, source, to, others, baseAt, isProven, shortLived });
    const coverage = await checkCoverage(groups, { source, to, isDue: end.isCheckDue, signal });
    tally.reads += coverage.reads;
    const { writer } = observed;
    return {
      to,
      positions: groups.map((group) => nextPosition(group, coverage, to)),
      chunk: await writer.finish(),
      changes: writer.changes,
      isProven,
      ...past,
      uncovered,
      coverage,
      counts: countsOf(groups),
      statistics: writer.tally.statistics,
      collections: groups.filter(({ changes }) => changes.size > 0).map(({ position }) => position.collectionId),
    };
  } finally {
    // Billed, also after a failure.
    budget.reads += tally.reads + observed.reads + lookup.reads;
  }
};

/** Documents by what happened to them, of collections whose documents were counted. */
const countsOf = (groups: readonly CollectionGroup[]): CapturedBatch['counts'] =>
  new Map(
    groups
      .filter(({ changes, position }) => changes.size > 0 && position.count !== undefined)
      .map((group) => {
        const { gone, created } = group.tally();
        const { count = 0, collectionId } = group.position;
        return [collectionId, { previous: count, deleted: gone, changed: group.changes.size - gone - created, added: created }];
      }),
  );

/** All groups are complete up to here, in microseconds; undefined without a group. */
const heardOf = ({ groups }: ObservedChanges): number | undefined => {
  let earliest: number | undefined;
  for (const { heard } of groups.values()) earliest = Math.min(earliest ?? heard.to, heard.to);
  return earliest;
};

/** Adds new root collections as of the time up to which all groups are complete. Later ones belong to the next cycle. */
const addRoots = async (
  session: ListenSession,
  {
    end: { from, successor, signal },
    heard,
    tally,
  }: { readonly end: CycleEnd; readonly heard: number; readonly tally: { reads: number } },
): Promise<readonly string[]> => {
  const { source, observed } = session;
  const roots = await listCollections(source, { parent: source.root, readTime: momentOf(heard), signal });
  const [added, uncovered]: [ResumePosition[], string[]] = [[], []];
  for (const collectionId of roots.filter((id) => !observed.groups.has(id))) {
    const before = await countGroup(source, { collectionId, readTime: momentOf(from), signal });
    tally.reads += before.reads;
    if (before.documents !== 0) uncovered.push(collectionId);
    const isCounted = before.documents !== undefined;
    added.push({ collectionId, to: from, token: undefined, count: before.documents, isCounted });
  }
  if (added.length > 0) await session.add(added, successor, observed);
  return uncovered;
};

/** The coverage counts hold at the end of the cycle; a group that is observed further may have changed since. */
const nextPosition = (group: CollectionGroup, { counts }: Coverage, to: number): ResumePosition => {
  const { collectionId } = group.position;
  const counted = group.heard.to === to ? counts.get(collectionId) : undefined;
  const isCounted = counted !== undefined || isStillCounted(group);
  return { collectionId, ...group.heard, count: counted ?? countAfter(group), isCounted };
};

interface Heard {
  readonly observed: ObservedChanges;
  readonly lookup: Lookup;
  readonly others: readonly number[];
}

/** False if only the end is known: every second was not wanted, exceeded the budget, or is no longer readable. */
const proveAll = async ({ lookupsLeft, budget }: CycleEnd, { observed, lookup, others }: Heard): Promise<boolean> => {
  const { searches, writer } = observed;
  const proof = { searches, others, lookup, writer };
  if (lookupsLeft !== undefined) {
    const free = lookup.reads + observed.documents;
    try {
      lookup.budget = free + lookupsLeft;
      await proveSeconds({ ...proof, isEverySecond: true });
      return true;
    } catch (error) {
      budget.isSpent ||= error instanceof BudgetSpent;
      if (!(error instanceof BudgetSpent || (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED'))) throw error;
    } finally {
      budget.lookups += Math.max(0, lookup.reads - free);
    }
  }
  lookup.budget = Number.POSITIVE_INFINITY;
  await proveSeconds({ ...proof, isEverySecond: false });
  return false;
};
