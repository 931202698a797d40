/**
 * Finds collections that existed only between two counts: at each whole second, the captured collections must have as many documents
 * as the source counts.
 */
import { countGroup, countRange, type FirestoreDatabase, SourceError } from '../../firestore/index.ts';
import { log, mapConcurrent } from '../../platform/index.ts';
import type { CollectionGroup } from '../listen/observed-changes.ts';
import { momentOf } from '../model/micro-time.ts';
import type { Gap } from '../model/record.ts';
import { isSteady } from './check-deletions.ts';
import { BudgetSpent } from './document-lookup.ts';
import { findNewIds } from './find-new-ids.ts';
import type { PastTally } from './past-tally.ts';
import { secondsBetween } from './unproven-runs.ts';

interface CountedCycle {
  readonly source: FirestoreDatabase;
  /** Both ends were counted: there were no other collections. In microseconds. */
  readonly from: number;
  readonly to: number;
  readonly groups: readonly CollectionGroup[];
  /** The counts of all groups at the end. */
  readonly counts: ReadonlyMap<string, number>;
  /** Ids that are known to have existed in between. */
  readonly known: readonly string[];
  readonly tally: PastTally;
  readonly signal: AbortSignal;
}

const second = 1_000_000;
const concurrency = 8;

/**
 * A gap for each of them by its id, from before its first second to after its last one; of unknown collections where there were other
 * documents that could not be found. Undefined if the counts cost more than the tally has.
 */
export const findBriefIds = async (cycle: CountedCycle): Promise<readonly Gap[] | undefined> => {
  const { from, to, known, tally, signal } = cycle;
  const seconds = secondsBetween(from, to);
  const brief = new BriefIds(cycle);
  if (brief.readsPerSecond * seconds.length > tally.left) return undefined;
  try {
    await mapConcurrent(seconds, concurrency, (at) => brief.count(at));
    for (const id of known) await brief.add(id);
    await brief.search();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof BudgetSpent || error instanceof SourceError)) throw error;
    log.warn('collections that existed between two counts were not found', { error, spent: tally.reads });
  }
  return brief.gaps;
};

class BriefIds {
  readonly #cycle: CountedCycle;
  /** Groups of which no document was created or deleted have the same count all the time. */
  readonly #steady = new Map<string, number>();
  readonly #changing: readonly string[];
  /** What the source counts at a second, and the counts of the known collections. */
  readonly #counted = new Map<number, { readonly total: number; readonly counts: Map<string, number> }>();
  readonly #seconds = new Map<string, number[]>();

  constructor(cycle: CountedCycle) {
    this.#cycle = cycle;
    const { groups, counts } = cycle;
    for (const group of groups) {
      const count = counts.get(group.position.collectionId);
      if (count !== undefined && group.isContinuous && isSteady(group)) this.#steady.set(group.position.collectionId, count);
    }
    this.#changing = groups.map(({ position }) => position.collectionId).filter((id) => !this.#steady.has(id));
  }

  get readsPerSecond(): number {
    const all = [...this.#cycle.counts.values()].reduce((sum, count) => sum + count, 0);
    const reads = (count: number): number => Math.max(1, Math.ceil(count / entriesPerRead));
    return reads(all) + this.#changing.reduce((sum, id) => sum + reads(this.#cycle.counts.get(id) ?? 0), 0);
  }

  async count(at: number): Promise<void> {
    const { source, tally, signal } = this.#cycle;
    const { documents, reads } = await countRange(source, { range: {}, readTime: momentOf(at), signal });
    tally.spend(reads);
    const counts = new Map(this.#steady);
    for (const id of this.#changing) counts.set(id, await this.#countGroup(id, at));
    if (documents !== undefined) this.#counted.set(at, { total: documents, counts });
  }

  /** Where most is missing is searched first: what is found there is counted at the other seconds, too. */
  async search(): Promise<void> {
    const { source, groups, tally, signal } = this.#cycle;
    const changed = groups.flatMap((group) => [...group.changes.keys()]);
    for (const searched = new Set<number>(); ; ) {
      const [worst] = [...this.#counted.keys()]
        .filter((at) => this.#missingAt(at) > 0 && !searched.has(at))
        .sort((a, b) => this.#missingAt(b) - this.#missingAt(a));
      const counted = worst === undefined ? undefined : this.#counted.get(worst);
      if (worst === undefined || !counted) return;
      searched.add(worst);
      const found = await findNewIds({ source, moment: worst, ...counted, changed, tally, signal });
      for (const id of found?.keys() ?? []) await this.add(id);
    }
  }

  get gaps(): readonly Gap[] {
    const unknown = [...this.#counted.keys()].filter((at) => this.#missingAt(at) !== 0);
    return [
      ...[...this.#seconds].flatMap(([id, seconds]) => (seconds.length > 0 ? [gapOf(id, seconds)] : [])),
      ...unknown.map((at) => ({
        ...around([at]),
        reason: 'documents of unknown collections existed between two captures',
        collections: [],
      })),
    ];
  }

  async add(id: string): Promise<void> {
    // Until it is counted, it may have existed at any of them.
    this.#seconds.set(id, [...this.#counted.keys()]);
    const seconds: number[] = [];
    await mapConcurrent([...this.#counted], concurrency, async ([at, { counts }]) => {
      const documents = await this.#countGroup(id, at);
      counts.set(id, documents);
      if (documents !== 0) seconds.push(at);
    });
    this.#seconds.set(id, seconds);
  }

  async #countGroup(collectionId: string, at: number): Promise<number> {
    const { source, tally, signal } = this.#cycle;
    tally.expect(1);
    const { documents, reads } = await countGroup(source, { collectionId, readTime: momentOf(at), signal });
    tally.spend(reads);
    return documents ?? Number.NaN;
  }

  /** NaN if a collection could not be counted: then nothing is shown. */
  #missingAt(at: number): number {
    const { total = 0, counts = new Map<string, number>() } = this.#counted.get(at) ?? {};
    return total - [...counts.values()].reduce((sum, count) => sum + count, 0);
  }
}

/** Firestore bills one read per 1,000 index entries counted. */
const entriesPerRead = 1_000;

const gapOf = (id: string, seconds: readonly number[]): Gap => ({
  ...around(seconds),
  reason: 'the collection existed only between two captures',
  collections: [id],
  isAtRoot: true,
});

/** Both ends of a gap are exclusive. */
const around = (seconds: readonly number[]): Pick<Gap, 'from' | 'to'> => ({
  from: momentOf(Math.min(...seconds) - second),
  to: momentOf(Math.max(...seconds) + second),
});
