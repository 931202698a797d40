import { compareNames } from '../name/compare-names.ts';
import { type FrameLocation, type ObjectEntry, ObjectWriter, type WriterOptions } from '../object/object-writer.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { encodeBase64 } from '../primitives/bytes.ts';
import { pageSegments } from '../primitives/format-limits.ts';
import { objectKind } from '../primitives/identity.ts';
import { encodePage, type Segment } from './index-page.ts';

/** A page of the index, as the manifest lists it: the upper level of the index. */
export interface PageEntry {
  /** Name of the index object, always of the manifest's own backup. */
  readonly object: string;
  readonly frame: number;
  readonly offset: number;
  readonly length: number;
  readonly segments: number;
  /** Records that the page's segments cover. */
  readonly records: number;
  /** The first name in the page, base64url; empty for a page without segments. */
  readonly first: string;
  /** SHA-256 of the page before compression. */
  readonly sha256: string;
}

/** All of an entry but its first name: a name, a hash, five numbers and what they are called. */
export const pageListedBytes = 224;

/** Writes segments into pages; the pages go into the manifest. */
export class IndexWriter {
  readonly #object: ObjectWriter;
  readonly #name: string;
  readonly #pages: PageEntry[] = [];
  #held: Segment[] = [];
  #last: Buffer | undefined;
  #segments = 0;
  #listedBytes = 0;

  constructor(name: string, options: WriterOptions) {
    if (objectKind(name) !== 'index') throw new ArchiveError('header-invalid', 'not the name of an index');
    this.#name = name;
    this.#object = new ObjectWriter(name, options);
  }

  add(segment: Segment): void {
    if (this.#last && compareNames(this.#last, segment.first) >= 0)
      throw new ArchiveError('index-invalid', 'segments out of order');
    if (this.#held.length >= pageSegments) this.#flush(false);
    this.#held.push(segment);
    this.#last = segment.first;
    this.#segments += 1;
  }

  get pendingBytes(): number {
    return this.#object.pendingBytes;
  }

  /** What its pages take where they are listed, about. */
  get listedBytes(): number {
    return this.#listedBytes;
  }

  take(): readonly Buffer[] {
    return this.#object.take();
  }

  /** An index of nothing has one page of nothing. */
  finish(): { readonly entry: ObjectEntry; readonly pages: readonly PageEntry[] } {
    this.#flush(true);
    return { entry: this.#object.entry(this.#segments), pages: this.#pages };
  }

  #flush(last: boolean): void {
    const held = this.#held;
    this.#held = [];
    const placed = this.#object.seal(encodePage(held), last);
    const page = pageEntry(this.#name, placed, held);
    this.#pages.push(page);
    this.#listedBytes += pageListedBytes + page.first.length;
  }
}

/** What the manifest says about a page. */
export const pageEntry = (
  object: string,
  { frame, offset, length, sha256 }: FrameLocation,
  segments: readonly Segment[],
): PageEntry => ({
  object,
  frame,
  offset,
  length,
  segments: segments.length,
  records: segments.reduce((sum, { count }) => sum + count, 0),
  first: encodeBase64(segments[0]?.first ?? Buffer.alloc(0)),
  sha256: encodeBase64(sha256),
});
