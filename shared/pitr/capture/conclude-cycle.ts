/** The end of a turn: everything that happened since the last one, proven complete, or not at all. */
import type { ObjectEntry } from '../../archive/index.ts';
import { countGroup, listCollections, probeSource, ResumeTokenLost, SourceError } from '../../firestore/index.ts';
import type { ListenSession } from '../listen/listen-session.ts';
import type { Successor } from '../listen/listen-stream.ts';
import type { CollectionGroup, ObservedChanges, Span } from '../listen/observed-changes.ts';
import { floorSecond, microsOf, momentOf } from '../model/micro-time.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { type Coverage, type CoverageOptions, checkCoverage } from '../prove/check-coverage.ts';
import { assertDeletionsComplete, countAfter, isStillCounted } from '../prove/check-deletions.ts';
import { BudgetSpent, Lookup } from '../prove/document-lookup.ts';
import { proveSeconds } from '../prove/prove-seconds.ts';
import type { ReadBudget } from './read-budget.ts';

export interface CycleEnd {
  /** Collections that only a base has found, which nobody listens to yet. */
  readonly found: readonly ResumePosition[];
  /** Up to when everything is captured, and the root collections were listed, in microseconds. */
  readonly from: number;
  /** What may be looked up to know every second, beside one read for each document that changed; undefined if only the end is wanted. */
  readonly lookupsLeft: number | undefined;
  readonly budget: ReadBudget;
  /** Whether so many reads may be spent on looking for collections that nobody listens to. */
  readonly isCheckDue: CoverageOptions['isDue'];
  readonly following: Successor;
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
  /** Within it nobody listened all the time: what came and went between is not known. */
  readonly unobserved: Span | undefined;
  /** The ids of the collections that changed. */
  readonly collections: readonly string[];
  /** Collections at the root that are new, though documents of that id were deeper before: those were not captured. */
  readonly uncovered: readonly string[];
  /** Whether there is none beside those that were listened to, at the end. */
  readonly coverage: Pick<Coverage, 'verdict' | 'isTried'>;
}

export const concludeCycle = async (session: ListenSession, wanted: CycleEnd): Promise<Captured> => {
  const { source, observed } = session;
  const { from, found, following, signal, budget } = wanted;
  const lookup = new Lookup(source, signal);
  const tally = { reads: 0 };
  try {
    await session.endCycle(following);
    if (found.length > 0) await session.add(found, following, observed);
    // Without a collection there is nothing to listen to, and nothing that tells the time.
    const heard = heardOf(observed) ?? microsOf((await probeSource(source, signal)).readTime);
    tally.reads += observed.groups.size === 0 ? 2 : 1;
    if (heard < from) throw new ResumeTokenLost('the time of the source went back');
    const uncovered = await addRoots(session, wanted, heard, tally);
    const end = Math.min(heard, heardOf(observed) ?? heard);
    // Of streams that were broken off no moment is known but whole seconds, and those they ended with.
    const to = session.isBroken ? Math.max(from, floorSecond(end)) : end;
    if (to < from) throw new ResumeTokenLost('the time of the source went back');
    const groups = [...observed.groups.values()];
    for (const group of groups) tally.reads += await assertDeletionsComplete(group, { source, lookup, signal });
    const isProven = await proveAll(wanted, { observed, lookup, to });
    const coverage = await checkCoverage(groups, { source, to, isDue: wanted.isCheckDue, signal });
    tally.reads += coverage.reads;
    const { writer, unobserved } = observed;
    return {
      to,
      positions: groups.map((group) => nextPosition(group, coverage, to)),
      chunk: await writer.finish(),
      changes: writer.changes,
      ...{ isProven, unobserved, uncovered, coverage },
      collections: groups.filter(({ changes }) => changes.size > 0).map(({ position }) => position.collectionId),
    };
  } finally {
    // Billed, whatever came of it.
    budget.reads += tally.reads + observed.reads + lookup.reads;
  }
};

/** Up to when everything was heard of all, in microseconds; undefined where nothing is listened to. */
const heardOf = ({ groups }: ObservedChanges): number | undefined => {
  let earliest: number | undefined;
  for (const { heard } of groups.values()) earliest = Math.min(earliest ?? heard.to, heard.to);
  return earliest;
};

/** As of the very time up to which all was heard: what is not there then is new from then on, and the next turn's. */
const addRoots = async (
  session: ListenSession,
  { from, following, signal }: CycleEnd,
  heard: number,
  tally: { reads: number },
): Promise<readonly string[]> => {
  const { source, observed } = session;
  const roots = await listCollections(source, source.root, momentOf(heard), signal);
  const [added, uncovered]: [ResumePosition[], string[]] = [[], []];
  for (const collectionId of roots.filter((id) => !observed.groups.has(id))) {
    const before = await countGroup(source, collectionId, momentOf(from), signal);
    tally.reads += before.reads;
    if (before.documents !== 0) uncovered.push(collectionId);
    const isCounted = before.documents !== undefined;
    added.push({ collectionId, to: from, token: undefined, count: before.documents, isCounted });
  }
  if (added.length > 0) await session.add(added, following, observed);
  return uncovered;
};

/** What was counted holds at the end of the turn; a group that was heard further may have changed since. */
const nextPosition = (group: CollectionGroup, { counts }: Coverage, to: number): ResumePosition => {
  const { collectionId } = group.position;
  const counted = group.heard.to === to ? counts.get(collectionId) : undefined;
  const isCounted = counted !== undefined || isStillCounted(group);
  return { collectionId, ...group.heard, count: counted ?? countAfter(group), isCounted };
};

interface Heard {
  readonly observed: ObservedChanges;
  readonly lookup: Lookup;
  readonly to: number;
}

/** False if the seconds between were not asked for, cost more than they may, or are no longer served: then the end alone is known. */
const proveAll = async ({ lookupsLeft, budget }: CycleEnd, { observed, lookup, to }: Heard): Promise<boolean> => {
  const { searches, writer } = observed;
  const proving = { searches, to, lookup, writer };
  if (lookupsLeft !== undefined) {
    const free = lookup.reads + observed.documents;
    try {
      lookup.budget = free + lookupsLeft;
      await proveSeconds({ ...proving, isEverySecond: true });
      return true;
    } catch (error) {
      budget.isSpent ||= error instanceof BudgetSpent;
      if (!(error instanceof BudgetSpent || (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED'))) throw error;
    } finally {
      budget.lookups += Math.max(0, lookup.reads - free);
    }
  }
  lookup.budget = Number.POSITIVE_INFINITY;
  await proveSeconds({ ...proving, isEverySecond: false });
  return false;
};
