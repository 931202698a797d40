import { collectionIdOf } from '../../firestore/index.ts';
import type { WrittenHistory } from '../batch/written-history.ts';
import type { Version } from '../listen/observed-changes.ts';

/** A collection group between two moments at which its documents are known. */
export interface PastSpan {
  readonly collectionId: string;
  readonly from: number;
  readonly to: number;
  /** The exact number of its documents at `from`, if that is known. */
  readonly count: number | undefined;
  /** The last version of each document that is known to have changed. */
  readonly changes: ReadonlyMap<string, Version | undefined>;
  /** The moments to prove, ascending, all between `from` and `to`. */
  readonly moments: readonly number[];
}

/** A collection group at past moments: what a restore will find, and what the source counts. */
export class PastGroup {
  readonly span: PastSpan;
  readonly #history: WrittenHistory;
  /** Changed documents that existed at the start. */
  readonly existedBefore = new Set<string>();
  /** The number of documents at the start. */
  before: number | undefined;
  /** The source's counts. */
  readonly counts = new Map<number, number>();
  /** Expected numbers beyond `before`; dropped when a document is found. */
  #tally = new Map<number, number>();

  constructor(span: PastSpan, history: WrittenHistory) {
    this.span = span;
    this.#history = history;
    for (const [name, version] of span.changes) if (version && version.created <= span.from) this.existedBefore.add(name);
  }

  /** Of other changed documents it is known whether they existed at the start, or it does not matter. */
  get namesToLookUp(): readonly string[] {
    const last = this.span.moments.at(-1) ?? 0;
    const isChanged = (name: string): boolean => (this.#history.nextAfter(name, 0)?.at ?? Number.POSITIVE_INFINITY) <= last;
    return this.#names().filter((name) => !this.existedBefore.has(name) && isChanged(name));
  }

  /** Call after something was written to the batch. */
  forget(): void {
    this.#tally = new Map();
  }

  /** The number of documents that a restore of that moment will find. */
  expectedAt(moment: number): number {
    if (!this.#tally.has(moment)) this.#tallyWith(moment);
    return (this.before ?? Number.NaN) + (this.#tally.get(moment) ?? 0);
  }

  isEqualAt(moment: number): boolean {
    return this.counts.get(moment) === this.expectedAt(moment);
  }

  /** How many more documents in the range a restore will find than there were at the start. */
  addedIn(isInRange: (name: string) => boolean, moment: number): number {
    const names = this.#names().filter(isInRange);
    return this.#history.tallyAt([moment], (name) => this.existedBefore.has(name), names)[0] ?? 0;
  }

  existsAt(name: string, moment: number): boolean | undefined {
    return this.#history.existsAt(name, moment);
  }

  /** The latest time at which a document that exists at a moment, but is not written, may have existed: then it was deleted or replaced. */
  goneBy(name: string, moment: number): number {
    const next = this.#history.nextAfter(name, moment);
    return next ? next.at - (next.isDeletion ? 0 : 1) : this.span.to;
  }

  #tallyWith(moment: number): void {
    const moments = this.#tally.size > 0 ? [moment] : [...new Set([...this.span.moments, moment])].sort((a, b) => a - b);
    const tally = this.#history.tallyAt(moments, (name) => this.existedBefore.has(name), this.#names());
    for (const [n, at] of moments.entries()) this.#tally.set(at, tally[n] ?? 0);
  }

  #names(): readonly string[] {
    return [...this.#history.names].filter((name) => collectionIdOf(name) === this.span.collectionId);
  }
}
