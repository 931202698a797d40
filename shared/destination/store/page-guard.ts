import { StorageError } from './object-store.ts';

/** A store may look through much that is gone before it finds more, yet not for ever. */
const emptyPagesMax = 16;

/** Follows a listing from page to page. One that cannot end (no mark or an old one, page after page of nothing) is refused. */
export class PageGuard {
  readonly #seen = new Set<string>();
  #empty = 0;

  /** The mark to go on from; throws where there is more and no way to it. */
  next(mark: string | undefined, found: number): string {
    this.#empty = found === 0 ? this.#empty + 1 : 0;
    if (!mark || this.#seen.has(mark) || this.#empty > emptyPagesMax)
      throw new StorageError('invalid', 'The store lists without end.');
    this.#seen.add(mark);
    return mark;
  }
}
