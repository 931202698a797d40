import type { DocumentChange, PathKey, StoredDocument } from '../base/types.ts';

/** What one read-write transaction has read, and so holds: documents by key, and ranges of queries. Nobody else can change it. */
export class Hold {
  readonly #keys = new Set<PathKey>();
  readonly #ranges: Range[] = [];
  /** While the transaction's commit waits: those who hold what it changes. */
  waitsFor: readonly Hold[] = [];

  get isEmpty(): boolean {
    return this.#keys.size === 0 && this.#ranges.length === 0;
  }

  add(key: PathKey): void {
    this.#keys.add(key);
  }

  addRange(range: Range): void {
    this.#ranges.push(range);
  }

  clear(): void {
    this.#keys.clear();
    this.#ranges.length = 0;
    this.waitsFor = [];
  }

  /** Whether a change would be one of what is held. */
  isTouchedBy({ key, before, after }: DocumentChange): boolean {
    if (this.#keys.has(key)) return true;
    return this.#ranges.some(
      ({ from, to, matches }) =>
        from <= key &&
        key < to &&
        (!matches || (before !== undefined && matches(before)) || (after !== undefined && matches(after))),
    );
  }

  /** Whether this one waits for the other, directly or through others. */
  isWaitingFor(other: Hold, seen = new Set<Hold>()): boolean {
    if (seen.has(this)) return false;
    seen.add(this);
    return this.waitsFor.some((holder) => holder === other || holder.isWaitingFor(other, seen));
  }
}

/** The keys from ≤ k < to; if it says what matches, a change of what does not match is none. */
export interface Range {
  readonly from: PathKey;
  readonly to: PathKey;
  readonly matches?: ((document: StoredDocument) => boolean) | undefined;
}
