import type { DocumentChange, PathKey, StoredDocument } from '../base/types.ts';

/** The read locks of a read-write transaction: documents by key, and query ranges. Others cannot change them. */
export class ReadLocks {
  readonly #keys = new Set<PathKey>();
  readonly #ranges: LockedRange[] = [];
  /** While the transaction's commit waits: the holders it waits for. */
  waitsFor: readonly ReadLocks[] = [];

  get isEmpty(): boolean {
    return this.#keys.size === 0 && this.#ranges.length === 0;
  }

  add(key: PathKey): void {
    this.#keys.add(key);
  }

  addRange(range: LockedRange): void {
    this.#ranges.push(range);
  }

  clear(): void {
    this.#keys.clear();
    this.#ranges.length = 0;
    this.waitsFor = [];
  }

  /** Whether a change conflicts with these locks. */
  isTouchedBy({ key, before, after }: DocumentChange): boolean {
    if (this.#keys.has(key)) return true;
    return this.#ranges.some(
      ({ from, to, matches }) =>
        from <= key &&
        key < to &&
        (!matches || (before !== undefined && matches(before)) || (after !== undefined && matches(after))),
    );
  }

  /** Whether this transaction waits for the other, directly or indirectly. */
  isWaitingFor(other: ReadLocks, seen = new Set<ReadLocks>()): boolean {
    if (seen.has(this)) return false;
    seen.add(this);
    return this.waitsFor.some((holder) => holder === other || holder.isWaitingFor(other, seen));
  }
}

/** The keys from ≤ k < to. With `matches`, only changes to matching documents conflict. */
interface LockedRange {
  readonly from: PathKey;
  readonly to: PathKey;
  readonly matches?: ((document: StoredDocument) => boolean) | undefined;
}
