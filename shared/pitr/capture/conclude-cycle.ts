/** Concludes a cycle: its changes are proven complete, or the cycle fails. */
import type { CapturedBatch } from '../../anomaly/index.ts';
import type { ObjectEntry } from '../../archive/index.ts';
import {
  countGroup,
  type FirestoreDatabase,
  listCollections,
  probeSource,
  ResumeTokenLost,
  SourceError,
} from '../../firestore/index.ts';
import type { BackupRead } from '../base/base-backup.ts';
import type { EarlierWriters } from '../batch/change-batch-writer.ts';
import { type Coverage, type CoverageOptions, checkCoverage } from '../coverage/check-coverage.ts';
import { assertDeletionsComplete, countAfter, isStillCounted } from '../coverage/check-deletions.ts';
import { BudgetSpent, Lookup } from '../coverage/document-lookup.ts';
import { findBriefIds } from '../coverage/find-brief-ids.ts';
import { findShortLivedRoots } from '../coverage/find-short-lived-roots.ts';
import { PastTally } from '../coverage/past-tally.ts';
import { proveSeconds } from '../coverage/prove-seconds.ts';
import type { Successor } from '../listen/group-stream.ts';
import type { ListenSession } from '../listen/listen-session.ts';
import type { CollectionGroup, ObservedChanges, Span } from '../listen/observed-changes.ts';
import { floorSecond, microsOf, momentOf } from '../model/micro-time.ts';
import type { Gap } from '../model/record.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { listenToNewIds } from './listen-to-new-ids.ts';
import { proveInterruption } from './prove-interruption.ts';
import type { ReadBudget } from './read-budget.ts';

interface CycleEnd {
  /** Collections discovered by a base, which are not captured yet. */
  readonly found: readonly ResumePosition[];
  /** Everything up to here is captured, and the root collections were listed, in microseconds. */
  readonly from: number;
  /** When it was last proven that there are no other collections. */
  readonly absentSince: number | undefined;
  /** Reads allowed to prove moments without listening. */
  readonly pastReadsLeft: number;
  /** Look-ups allowed beyond one per changed document to prove every second; undefined if only the end is wanted. */
  readonly lookupsLeft: number | undefined;
  readonly budget: ReadBudget;
  readonly isCheckDue: CoverageOptions['isDue'];
  /** Whether no collection is known to be missing. */
  readonly areAllListened: boolean;
  /** Read times of backups that may become bases, if groups were not listened to then. */
  readonly findReadTimes: (since: number) => Promise<readonly BackupRead[]>;
  /** Opens the batches since then for changes of collections that they lack; undefined if that is not possible. */
  readonly openEarlier: (since: number) => Promise<EarlierWriters | undefined>;
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
  /** The name of the last batch, if changes were added to earlier ones. */
  readonly lastBatch: string | undefined;
  /** Whether all collections were captured, at the end. */
  readonly coverage: Pick<Coverage, 'verdict' | 'isTried'>;
}

export const concludeCycle = async (session: ListenSession, end: CycleEnd): Promise<Captured> => {
  const { source, observed } = session;
  const { writer } = observed;
  const { from, found, successor, signal, budget } = end;
  const lookup = new Lookup(source, signal);
  const tally = { reads: 0 };
  const pastReadsBefore = budget.pastReads;
  try {
    await session.endCycle(successor);
    if (found.length > 0) await session.add(found, successor, observed);
    // Without a collection there is no stream that reports the time.
    const heard = heardOf(observed) ?? microsOf((await probeSource(source, signal)).readTime);
    const listing = observed.groups.size === 0 ? 2 : 1;
    tally.reads += listing;
    budget.listing += listing;
    if (heard < from) throw new ResumeTokenLost('the time of the source went back');
    const uncovered = await addRoots(session, { end, heard, tally });
    const earliest = Math.min(heard, heardOf(observed) ?? heard);
    // With a failed stream only whole seconds are known at all streams.
    const to = session.isBroken ? Math.max(from, floorSecond(earliest)) : earliest;
    if (to < from) throw new ResumeTokenLost('the time of the source went back');
    const checkDeletions = async (some: Iterable<CollectionGroup>): Promise<void> => {
      for (const group of some) tally.reads += await assertDeletionsComplete(group, { source, lookup, signal });
    };
    const known = new Set(observed.groups.values());
    await checkDeletions(known);
    const coverage = await coverAll(session, { end, to, tally });
    const groups = [...observed.groups.values()];
    await checkDeletions(groups.filter((group) => !known.has(group)));
    const since = Math.min(from, ...groups.map(({ position }) => position.to));
    const readTimes = groups.some(({ unobserved }) => unobserved) ? await end.findReadTimes(since) : [];
    const others = [to, ...readTimes.map(({ at }) => at), ...(writer.earlier?.ends ?? [])];
    const baseAt = readTimes.find(({ isRequested }) => isRequested)?.at;
    const isEarlierProven = await proveEarlier(end, { observed, lookup, others, to });
    const isProven = await proveAll(end, { observed, lookup, others });
    const roots = isProven ? await findShortLivedRoots(observed, { source, from, to, signal, tally }) : [];
    const readsLeft = (): number => end.pastReadsLeft - (budget.pastReads - pastReadsBefore);
    const areEndsCounted = coverage.verdict === 'whole' && end.areAllListened && end.absentSince === from;
    const counted = { to, groups, counts: coverage.counts, readsLeft: readsLeft() * searchShare };
    const shortLived = isProven && areEndsCounted ? await addBriefIds(roots, { ...end, ...counted, source }) : roots;
    const proof = {
      source,
      to,
      others,
      baseAt,
      isProven,
      isEarlierProven,
      areEndsCounted,
      shortLived,
      pastReadsLeft: readsLeft(),
    };
    const past = await proveInterruption(observed, { ...end, ...proof });
    const lastBatch = await writer.earlier?.store(
      groups.filter(({ position }) => position.to < from).map(({ position }) => position.collectionId),
    );
    return {
      to,
      positions: groups.map((group) => nextPosition(group, coverage, to)),
      chunk: await writer.finish(),
      changes: writer.changes,
      isProven,
      ...past,
      uncovered,
      lastBatch,
      coverage,
      counts: countsOf(groups),
      statistics: writer.tally.statistics,
      collections: groups.filter(({ changes }) => changes.size > 0).map(({ position }) => position.collectionId),
    };
  } finally {
    // Billed, also after a failure.
    budget.reads += tally.reads + observed.reads + lookup.reads;
    budget.listing += observed.timeRequests;
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
  { end, heard, tally }: { readonly end: CycleEnd; readonly heard: number; readonly tally: { reads: number } },
): Promise<readonly string[]> => {
  const { source, observed } = session;
  const { from, successor, signal } = end;
  const roots = await listCollections(source, { parent: source.root, readTime: momentOf(heard), signal });
  const [added, uncovered]: [ResumePosition[], string[]] = [[], []];
  for (const collectionId of roots.filter((id) => !observed.groups.has(id))) {
    const before = await countGroup(source, { collectionId, readTime: momentOf(from), signal });
    tally.reads += before.reads;
    // Its id existed below documents: these are captured from when it did not.
    const since = before.documents === 0 ? undefined : await openSince(observed, end);
    if (since !== undefined) {
      added.push({ collectionId, to: since, token: undefined, count: 0, isCounted: true });
      continue;
    }
    if (before.documents !== 0) uncovered.push(collectionId);
    const isCounted = before.documents !== undefined;
    added.push({ collectionId, to: from, token: undefined, count: before.documents, isCounted });
  }
  if (added.length > 0) await session.add(added, successor, observed);
  return uncovered;
};

/** Checks that no collection is missing, and adds those that are. */
const coverAll = async (
  session: ListenSession,
  { end, to, tally }: { readonly end: CycleEnd; readonly to: number; readonly tally: { reads: number } },
): Promise<Coverage> => {
  const { source, observed } = session;
  const { pastReadsLeft, isCheckDue: isDue, signal } = end;
  const coverage = await checkCoverage([...observed.groups.values()], { source, to, isDue, signal });
  tally.reads += coverage.reads;
  end.budget.counts += coverage.reads;
  const absentSince = coverage.verdict === 'unknown' ? await openSince(observed, end) : undefined;
  if (absentSince === undefined) return coverage;
  return listenToNewIds(session, { ...end, coverage, to, absentSince, readsLeft: pastReadsLeft * searchShare });
};

/** When new collections were proven not to exist, if their changes since then can be stored. */
const openSince = async (
  { writer }: ObservedChanges,
  { from, absentSince, areAllListened, openEarlier }: CycleEnd,
): Promise<number | undefined> => {
  if (!areAllListened || absentSince === undefined || absentSince > from) return undefined;
  if (absentSince < from) writer.earlier ??= await openEarlier(absentSince);
  return absentSince === from || writer.earlier ? absentSince : undefined;
};

interface CountedEnd extends Pick<CycleEnd, 'from' | 'budget' | 'signal'> {
  readonly source: FirestoreDatabase;
  readonly to: number;
  readonly groups: readonly CollectionGroup[];
  readonly counts: ReadonlyMap<string, number>;
  readonly readsLeft: number;
}

/**
 * Where new collections appeared, others may have existed for a moment: adds a gap of each to those of root collections. If nothing was
 * listened to, the proof of that time finds them.
 */
const addBriefIds = async (roots: readonly Gap[], counted: CountedEnd): Promise<readonly Gap[]> => {
  const { groups, budget, readsLeft } = counted;
  const isNews = roots.length > 0 || groups.some(({ isContinuous }) => !isContinuous);
  if (!isNews || !groups.some(({ isContinuous }) => isContinuous)) return roots;
  const tally = new PastTally(readsLeft);
  const known = roots.flatMap(({ collections = [] }) => collections);
  const found = await findBriefIds({ ...counted, known, tally }).finally(() => {
    budget.reads += tally.reads;
    budget.pastReads += tally.reads;
  });
  const ids = new Set(found?.flatMap(({ collections = [] }) => collections));
  return [...roots.filter(({ collections = [] }) => !collections.some((id) => ids.has(id))), ...(found ?? [])];
};

/** The share of the reads for finding new collections; the rest is for proving their moments. */
const searchShare = 0.5;

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

/**
 * Looks up the versions of collections that were found after the batches of earlier cycles, at every second of them. False if only those
 * at the end of this cycle are known.
 */
const proveEarlier = async (
  { from, pastReadsLeft, budget }: CycleEnd,
  { observed, lookup, others, to }: Heard & { readonly to: number },
): Promise<boolean> => {
  const { writer } = observed;
  const searches = observed.searches.filter((search) => search.from < from);
  if (searches.length === 0) return true;
  observed.searches = observed.searches.filter((search) => search.from >= from);
  const proof = { searches, lookup, writer };
  const tally = new PastTally(pastReadsLeft * searchShare);
  try {
    await tally.lookingUp(lookup, () => proveSeconds({ ...proof, others, isEverySecond: true }));
    return true;
  } catch (error) {
    if (!(error instanceof BudgetSpent || (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED'))) throw error;
  } finally {
    budget.pastReads += tally.reads;
    lookup.budget = Number.POSITIVE_INFINITY;
  }
  await proveSeconds({ ...proof, others: [to], isEverySecond: false });
  return false;
};

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
