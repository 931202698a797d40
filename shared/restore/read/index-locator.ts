import { type Archive, lastAtMost, type Segment } from '../../archive/index.ts';

/** Where a name lies in the index of an archive. */
export interface IndexPosition {
  /** The one segment that may have it; undefined if it comes before all. */
  readonly segment: Segment | undefined;
  /** The name with which the next segment begins; undefined behind the last. */
  readonly next: Buffer | undefined;
}

/** Finds places one after the other; a page of the index is fetched when a name lies in it, and held until the next one is. */
export class IndexLocator {
  readonly #archive: Archive;
  #held: { readonly page: number; readonly segments: readonly Segment[] } | undefined;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  async at(name: Uint8Array): Promise<IndexPosition> {
    const { pages } = this.#archive;
    const page = lastAtMost(pages, name, (one) => one.name);
    const entry = pages[page];
    if (!entry) return { segment: undefined, next: pages[0]?.name };
    if (this.#held?.page !== page) this.#held = { page, segments: await this.#archive.segmentsOf(entry) };
    const { segments } = this.#held;
    const number = lastAtMost(segments, name, (one) => one.first);
    return { segment: segments[number], next: segments[number + 1]?.first ?? pages[page + 1]?.name };
  }
}
