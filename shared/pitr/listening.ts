/** One turn over the source: everything that happened since the last one, proven complete, or not at all. */
import type { ObjectEntry } from '../archive/index.ts';
import { countGroup, ListenLost, listCollections, probeSource, type Source, SourceError } from '../firestore/index.ts';
import type { BatchWriter } from './batch-writer.ts';
import { type Coverage, type CoverageWish, checkCoverage } from './coverage.ts';
import { Gathering, type Group } from './gathering.ts';
import { countAfter, isStillCounted, judgeGroup } from './judgement.ts';
import { Lanes } from './lanes.ts';
import { BudgetSpent, Lookup } from './lookup.ts';
import { microsOf, momentOf } from './moment.ts';
import { prove } from './proof.ts';
import type { Spending } from './spending.ts';
import type { Standing } from './standing.ts';

export interface Wanted {
  readonly standings: readonly Standing[];
  /** Up to when everything is captured, and the root collections were listed, in microseconds. */
  readonly from: number;
  /** What may be looked up to know every second, beside one read for each document that changed; undefined if only the end is wanted. */
  readonly lookupsLeft: number | undefined;
  readonly spending: Spending;
  /** Whether so many reads may be spent on looking for collections that nobody listens to. */
  readonly isCheckDue: CoverageWish['isDue'];
  readonly writer: BatchWriter;
  readonly refresh: boolean;
  readonly signal: AbortSignal;
}

export interface Captured {
  readonly to: number;
  readonly standings: readonly Standing[];
  /** Undefined if nothing changed. */
  readonly chunk: ObjectEntry | undefined;
  readonly changes: number;
  /** Whether every whole second is known. */
  readonly isProven: boolean;
  /** The ids of the collections that changed. */
  readonly collections: readonly string[];
  /** Collections at the root that are new, though documents of that id were deeper before: those were not captured. */
  readonly uncovered: readonly string[];
  /** Whether there is none beside those that were listened to, at the end. */
  readonly coverage: Pick<Coverage, 'verdict' | 'isTried'>;
}

export const listen = async (source: Source, wanted: Wanted): Promise<Captured> => {
  const { standings, from, writer, signal } = wanted;
  const gathering = new Gathering(writer);
  const lanes = new Lanes(source, gathering, wanted);
  const lookup = new Lookup(source, signal);
  const uncovered: string[] = [];
  let reads = 0;
  try {
    for (const standing of standings) await lanes.add(standing);
    await lanes.settle();
    // Without a collection there is nothing to listen to, and nothing that tells the time.
    const heard = lanes.to ?? microsOf((await probeSource(source, signal)).readTime);
    reads += lanes.to === undefined ? 2 : 1;
    if (heard < from) throw new ListenLost('the time of the source went back');
    // As of the very time up to which all was heard: what is not there then is new from then on, and the next turn's.
    const roots = await listCollections(source, source.root, momentOf(heard), signal);
    for (const collectionId of roots.filter((id) => !gathering.groups.has(id))) {
      const before = await countGroup(source, collectionId, momentOf(from), signal);
      reads += before.reads;
      if (before.documents !== 0) uncovered.push(collectionId);
      const isCounted = before.documents !== undefined;
      await lanes.add({ collectionId, to: from, token: undefined, count: before.documents, isCounted });
    }
    await lanes.settle();
    const to = Math.min(heard, lanes.to ?? heard);
    if (to < from) throw new ListenLost('the time of the source went back');
    lanes.close();
    const groups = [...gathering.groups.values()];
    for (const group of groups) reads += await judgeGroup(group, lanes.heard(group).to, { source, lookup, signal });
    const isProven = await proveAll(wanted, { gathering, lanes, lookup, to });
    const coverage = await checkCoverage(groups, { source, to, isDue: wanted.isCheckDue, signal });
    reads += coverage.reads;
    return {
      to,
      standings: groups.map((group) => nextStanding(group, lanes.heard(group), coverage, to)),
      chunk: await writer.finish(),
      changes: writer.changes,
      isProven,
      collections: groups.filter(({ changes }) => changes.size > 0).map(({ standing }) => standing.collectionId),
      uncovered,
      coverage,
    };
  } finally {
    lanes.close();
    // Billed, whatever came of it.
    for (const group of gathering.groups.values()) reads += group.reads;
    wanted.spending.reads += reads + lookup.reads;
  }
};

/** What was counted holds at the end of the turn; a group that was heard further may have changed since. */
const nextStanding = (group: Group, heard: ReturnType<Lanes['heard']>, { counts }: Coverage, to: number): Standing => {
  const { collectionId } = group.standing;
  const counted = heard.to === to ? counts.get(collectionId) : undefined;
  const isCounted = counted !== undefined || isStillCounted(group);
  return { collectionId, ...heard, count: counted ?? countAfter(group), isCounted };
};

interface Heard {
  readonly gathering: Gathering;
  readonly lanes: Lanes;
  readonly lookup: Lookup;
  readonly to: number;
}

/** False if the seconds between were not asked for, cost more than they may, or are no longer served: then the end alone is known. */
const proveAll = async ({ lookupsLeft, spending, writer }: Wanted, { gathering, lanes, lookup, to }: Heard): Promise<boolean> => {
  const proving = { groups: gathering.groups.values(), heardTo: (group: Group) => lanes.heard(group).to, to, lookup, writer };
  if (lookupsLeft !== undefined) {
    const free = lookup.reads + gathering.documents;
    try {
      lookup.budget = free + lookupsLeft;
      await prove({ ...proving, isEverySecond: true });
      return true;
    } catch (error) {
      spending.isSpent ||= error instanceof BudgetSpent;
      if (!(error instanceof BudgetSpent || (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED'))) throw error;
    } finally {
      spending.lookups += Math.max(0, lookup.reads - free);
    }
  }
  lookup.budget = Number.POSITIVE_INFINITY;
  await prove({ ...proving, groups: gathering.groups.values(), isEverySecond: false });
  return false;
};
