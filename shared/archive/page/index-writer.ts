import { compareNames } from '../name/compare-names.ts';
import { type FrameLocation, type ObjectEntry, ObjectWriter, type WriterOptions } from '../object/object-writer.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { encodeBase64 } from '../primitives/bytes.ts';
import { pageSegments } from '../primitives/format-limits.ts';
import { objectKind } from '../primitives/identity.ts';
import { encodePage, type Segment } from './index-page.ts';

/** An index page as listed in the manifest, the upper level of the index. */
export interface PageEntry {
  /** Name of the index object; always of the same backup as the manifest. */
  readonly object: string;
  readonly frame: number;
  readonly offset: number;
  readonly length: number;
  readonly segments: number;
  readonly records: number;
  /** The first name in the page, base64url; empty for a page without segments. */
  readonly first: string;
  /** SHA-256 of the page before compression. */
  readonly sha256: string;
}

/** Listed size of an entry without its first name: object name, hash, five numbers and their keys. */
export const pageListedBytes = 224;

export class IndexWriter {
  readonly #object: ObjectWriter;
  readonly #name: string;
  readonly #pages: PageEntry[] = [];
  #pending: Segment[] = [];
  #last: Buffer | undefined;
  #segments = 0;
  #listedBytes = 0;

  constructor(name: string, options: WriterOptions) {
    if (objectKind(name) !== 'index') throw new ArchiveError('header-invalid', 'not an index name');
    this.#name = name;
    this.#object = new ObjectWriter(name, options);
  }

  add(segment: Segment): void {
    if (this.#last && compareNames(this.#last, segment.first) >= 0)
      throw new ArchiveError('index-invalid', 'segments must be added in name order');
    if (this.#pending.length >= pageSegments) this.#flush(false);
    this.#pending.push(segment);
    this.#last = segment.first;
    this.#segments += 1;
  }

  get pendingBytes(): number {
    return this.#object.pendingBytes;
  }

  /** Approximate size of the page entries in the manifest. */
  get listedBytes(): number {
    return this.#listedBytes;
  }

  take(): readonly Buffer[] {
    return this.#object.take();
  }

  /** An empty index has one empty page. */
  finish(): { readonly entry: ObjectEntry; readonly pages: readonly PageEntry[] } {
    this.#flush(true);
    return { entry: this.#object.entry(this.#segments), pages: this.#pages };
  }

  #flush(last: boolean): void {
    const pending = this.#pending;
    this.#pending = [];
    const location = this.#object.seal(encodePage(pending), last);
    const page = pageEntry(this.#name, location, pending);
    this.#pages.push(page);
    this.#listedBytes += pageListedBytes + page.first.length;
  }
}

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
