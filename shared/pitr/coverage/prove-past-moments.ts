/**
 * Proves moments at which a collection group was not listened to. What the batch says about documents that exist at an end of that
 * time was looked up, so a restore finds nothing that did not exist. If it finds as many documents as the source counts at that
 * moment, it finds all. If the source has more, they lived only in between: they are found, and written to the batch.
 */
import { countGroup, countRange, SourceError } from '../../firestore/index.ts';
import { log, mapConcurrent } from '../../platform/index.ts';
import type { WrittenHistory } from '../batch/written-history.ts';
import { momentOf } from '../model/micro-time.ts';
import { BudgetSpent } from './document-lookup.ts';
import { findUnwritten, type PastReads } from './find-unwritten.ts';
import { PastGroup, type PastSpan } from './past-group.ts';

export interface PastProofOptions extends PastReads {
  readonly history: WrittenHistory;
  /** If the spans are all captured groups: all collections can be counted at once, up to here. */
  readonly allUpTo: number | undefined;
  /** The read time of the requested base and reads of its own: it is proven first, because the base was paid for. */
  readonly base?: { readonly at: number; readonly reads: number } | undefined;
  /** A cycle must end within minutes. */
  readonly withinMs: number;
}

export interface PastProof {
  /** Moments that are not proven, by collection id. */
  readonly unproven: ReadonlyMap<string, readonly number[]>;
  /** Moments at which there were documents of other collections. */
  readonly unknownAt: readonly number[];
}

/** The share of the reads for counting every moment; the rest is for finding documents. */
const countShare = 0.5;
const entriesPerRead = 1_000;
const concurrency = 8;

/** What the reads do not cover, and what the source cannot answer, stays unproven. */
export const provePastMoments = async (spans: readonly PastSpan[], options: PastProofOptions): Promise<PastProof> => {
  const { signal, base, tally } = options;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(options.withinMs)]);
  const proof = new PastCounts(spans, { ...options, signal: inTime });
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof BudgetSpent || error instanceof SourceError || inTime.aborted)) throw error;
      log.warn('an interruption is not proven completely', { error, spent: tally.reads });
    }
  };
  const moments = [...new Set(spans.flatMap((span) => span.moments))].sort((a, b) => a - b);
  if (base && moments.includes(base.at)) await attempt(() => tally.lending(base.reads, () => proof.run([base.at])));
  await attempt(() => proof.run(moments.filter((moment) => moment !== base?.at)));
  return proof.result();
};

class PastCounts {
  readonly #groups: readonly PastGroup[];
  readonly #options: PastProofOptions;
  /** The source's counts of all collections. */
  readonly #totals = new Map<number, number>();

  constructor(spans: readonly PastSpan[], options: PastProofOptions) {
    this.#options = options;
    this.#groups = spans.map((span) => new PastGroup(span, options.history));
  }

  async run(moments: readonly number[]): Promise<void> {
    const { signal } = this.#options;
    for (const group of this.#groups) {
      if (group.before !== undefined || moments.length === 0) continue;
      await this.#lookUpBefore(group);
      group.before = group.span.count ?? (await this.#count(group, group.span.from));
    }
    const documents = this.#groups.reduce((sum, { before = 0 }) => sum + before, 0);
    const [whole, single] = this.#costs(documents);
    const total = single <= whole ? [] : moments.filter((moment) => this.#isTotal(moment));
    const affordable = Math.floor((this.#options.tally.left * countShare) / Math.max(1, Math.min(whole, single)));
    await mapConcurrent(moments.slice(0, affordable), concurrency, async (moment) => {
      signal.throwIfAborted();
      if (!total.includes(moment) || !(await this.#countAll(moment))) await this.#countGroups(moment);
    });
    await this.#findAll();
  }

  result(): PastProof {
    const unproven = new Map<string, readonly number[]>();
    for (const group of this.#groups) {
      const lacking = group.span.moments.filter((moment) => !this.#isTotalEqual(moment) && !group.isEqualAt(moment));
      if (lacking.length > 0) unproven.set(group.span.collectionId, lacking);
    }
    const isOther = ([moment]: readonly [number, number]): boolean =>
      !this.#isTotalEqual(moment) && this.#groups.every((group) => group.isEqualAt(moment));
    return { unproven, unknownAt: [...this.#totals].filter(isOther).map(([moment]) => moment) };
  }

  /** Estimated reads to prove one moment: by one count of everything, or by one of each group. */
  #costs(documents: number): readonly [whole: number, single: number] {
    const reads = (count: number): number => Math.max(1, Math.ceil(count / entriesPerRead));
    const whole = this.#options.allUpTo === undefined ? Number.POSITIVE_INFINITY : reads(documents);
    return [whole, this.#groups.reduce((sum, { before = 0 }) => sum + reads(before), 0)];
  }

  /** Whether that moment is within the span of every group. After its span a group is listened to, and its deletions are not looked up. */
  #isTotal(moment: number): boolean {
    const { allUpTo } = this.#options;
    const isWithin = ({ span, before }: PastGroup): boolean => before !== undefined && span.from < moment && moment < span.to;
    return allUpTo !== undefined && moment <= allUpTo && this.#groups.every(isWithin);
  }

  #isTotalEqual(moment: number): boolean {
    const total = this.#totals.get(moment);
    return total !== undefined && total === this.#expectedAt(moment);
  }

  #expectedAt(moment: number): number {
    return this.#groups.reduce((sum, group) => sum + group.expectedAt(moment), 0);
  }

  /** Which documents that were created or deleted meanwhile existed before. */
  async #lookUpBefore(group: PastGroup): Promise<void> {
    const { tally, lookup } = this.#options;
    await tally.lookingUp(lookup, () =>
      lookup.at(group.span.from, group.namesToLookUp, (name, bytes) => {
        if (bytes) group.existedBefore.add(name);
      }),
    );
  }

  /** Undefined if the source does not count. */
  async #count(group: PastGroup, moment: number): Promise<number | undefined> {
    const { source, tally, signal } = this.#options;
    tally.expect(Math.ceil((group.before ?? 0) / entriesPerRead));
    const { documents, reads } = await countGroup(source, {
      collectionId: group.span.collectionId,
      readTime: momentOf(moment),
      signal,
    });
    tally.spend(reads);
    return documents;
  }

  async #countAll(moment: number): Promise<boolean> {
    const { source, tally, signal } = this.#options;
    tally.expect(Math.ceil(this.#expectedAt(moment) / entriesPerRead));
    const { documents, reads } = await countRange(source, { range: {}, readTime: momentOf(moment), signal });
    tally.spend(reads);
    if (documents !== undefined) this.#totals.set(moment, documents);
    return documents !== undefined;
  }

  async #countGroups(moment: number): Promise<void> {
    const isTotal = this.#totals.has(moment);
    for (const group of this.#groups) {
      if (group.before === undefined || group.counts.has(moment) || !(isTotal || group.span.moments.includes(moment))) continue;
      const counted = await this.#count(group, moment);
      if (counted !== undefined) group.counts.set(moment, counted);
    }
  }

  /** Where most is missing is searched first: what is found there explains other moments, too. */
  async #findAll(): Promise<void> {
    const searched = new Set<string>();
    for (;;) {
      const next = this.#worst(searched);
      if (!next) return;
      searched.add(keyOf(next));
      const { group, moment } = next;
      if (group) {
        const count = group.counts.get(moment) ?? 0;
        await findUnwritten(group, { moment, count, excess: count - group.expectedAt(moment) }, this.#options);
      } else await this.#countGroups(moment);
    }
  }

  /** A total that differs is counted group by group before it is searched. */
  #worst(searched: ReadonlySet<string>): Suspect | undefined {
    let [worst, most]: [Suspect | undefined, number] = [undefined, 0];
    const consider = (suspect: Suspect, excess: number): void => {
      if (excess > most && !searched.has(keyOf(suspect))) [worst, most] = [suspect, excess];
    };
    for (const group of this.#groups)
      for (const [moment, count] of group.counts)
        if (!this.#isTotalEqual(moment)) consider({ group, moment }, count - group.expectedAt(moment));
    if (worst) return worst;
    for (const [moment, total] of this.#totals)
      consider({ group: undefined, moment }, Math.abs(total - this.#expectedAt(moment)));
    return worst;
  }
}

interface Suspect {
  readonly group: PastGroup | undefined;
  readonly moment: number;
}

const keyOf = ({ group, moment }: Suspect): string => `${group?.span.collectionId ?? ''}/${moment}`;
