import { StorageError } from './object-store.ts';

/** A store may return empty pages while it skips deleted objects, but not without end. */
const emptyPagesMax = 16;

/** Detects a listing that cannot end: a page without a token or with an old one, or too many empty pages. */
export class PageGuard {
  readonly #seen = new Set<string>();
  #empty = 0;

  /** Returns the token of the next page, or throws. */
  next(token: string | undefined, found: number): string {
    this.#empty = found === 0 ? this.#empty + 1 : 0;
    if (!token || this.#seen.has(token) || this.#empty > emptyPagesMax)
      throw new StorageError('invalid', 'The store returned an endless listing.');
    this.#seen.add(token);
    return token;
  }
}
