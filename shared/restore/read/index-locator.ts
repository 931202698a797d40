import { type Archive, lastAtMost, type Segment } from '../../archive/index.ts';

/** Where a name lies in the index of an archive. */
interface IndexPosition {
  /** The one segment that may contain the name; undefined if the name precedes all segments. */
  readonly segment: Segment | undefined;
  /** First name of the next segment; undefined after the last. */
  readonly next: Buffer | undefined;
}

/** Locates ascending names. It fetches an index page when a name falls into it, and keeps the last page. */
export class IndexLocator {
  readonly #archive: Archive;
  #cached: { readonly page: number; readonly segments: readonly Segment[] } | undefined;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  async at(name: Uint8Array): Promise<IndexPosition> {
    const { pages } = this.#archive;
    const page = lastAtMost(pages, name, (one) => one.name);
    const entry = pages[page];
    if (!entry) return { segment: undefined, next: pages[0]?.name };
    // A concurrent call may replace the cached page while this one waits.
    const cached = this.#cached?.page === page ? this.#cached : { page, segments: await this.#archive.segmentsOf(entry) };
    this.#cached = cached;
    const { segments } = cached;
    const number = lastAtMost(segments, name, (one) => one.first);
    return { segment: segments[number], next: segments[number + 1]?.first ?? pages[page + 1]?.name };
  }
}
