import {
  type Archive,
  type EncodedNameRange,
  type Leaf,
  type LeafContents,
  recordKind,
  type Segment,
  streamLeaves,
} from '../../archive/index.ts';
import type { NameRange } from '../../firestore/index.ts';
import type { DocumentCursor } from './document-cursor.ts';

interface ArchiveCursorOptions {
  /** Fetch bodies together with the keys while they are used; otherwise each leaf's bodies are fetched on demand. */
  readonly withBodies?: boolean;
  /** Whether the cursor also visits tombstones. */
  readonly withTombstones?: boolean;
  /** Whether it also visits documents that an erasure hides, by name only. */
  readonly withErased?: boolean;
  /** Can observe the parts before the cursor visits them. */
  readonly through?: ((parts: ArchiveParts) => ArchiveParts) | undefined;
}

type ArchiveParts = AsyncGenerator<ArchivePart, void, undefined>;

/** The slots of a leaf that lie in the scope. */
export interface ArchivePart {
  readonly segment: Segment;
  readonly leaf: Leaf;
  readonly start: number;
  readonly end: number;
}

/** After this many consecutive leaves with unused bodies, none are fetched until one is requested. */
const unusedMax = 4;

/** Cursor over the documents of a backup. Names and times are stored apart from the bodies, which are about 90 % of it. */
export class ArchiveCursor implements DocumentCursor {
  name: Buffer | undefined;
  seconds = 0;
  nanos = 0;
  isTombstone = false;
  isErased = false;
  readonly #archive: Archive;
  readonly #rootBytes: number;
  readonly #parts: ArchiveParts;
  readonly #withTombstones: boolean;
  readonly #withErased: boolean;
  #part: ArchivePart | undefined;
  #slot = 0;
  #whole: { readonly segment: Segment; readonly leaf: Leaf } | undefined;
  #unused = 0;

  constructor(
    archive: Archive,
    scope: readonly NameRange[],
    { withBodies = false, withTombstones = false, withErased = false, through = (parts) => parts }: ArchiveCursorOptions = {},
  ) {
    this.#archive = archive;
    this.#withTombstones = withTombstones;
    this.#withErased = withErased;
    this.#rootBytes = Buffer.byteLength(archive.documentsRoot);
    this.#parts = through(
      archivePartsIn(archive, archiveRanges(archive, scope), () => (withBodies && this.#unused < unusedMax ? 'all' : 'keys')),
    );
  }

  step(): boolean {
    const part = this.#part;
    if (!part) return false;
    while (++this.#slot < part.end) {
      const kind = part.leaf.kind(this.#slot);
      if (kind === recordKind.document || (this.#withTombstones && kind === recordKind.tombstone) || this.#visitsErased(kind))
        return this.#moveTo(part.leaf, kind);
    }
    return false;
  }

  /** Of hidden records only documents count: nothing was left out with a hidden tombstone. */
  #visitsErased(kind: number): boolean {
    return this.#withErased && kind === recordKind.erased && this.#part?.leaf.storedKind(this.#slot) === recordKind.document;
  }

  async load(): Promise<void> {
    for (let next = await this.#parts.next(); !next.done; next = await this.#parts.next()) {
      this.#part = next.value;
      this.#slot = next.value.start - 1;
      this.#unused += 1;
      if (this.step()) return;
    }
    this.#part = undefined;
    this.name = undefined;
  }

  /** Announces that the body of the current document is needed; true if it was already fetched, and so verified. */
  requestBody(): boolean {
    this.#unused = 0;
    return this.#part !== undefined && (this.#part.leaf.hasBodies || this.#whole?.segment === this.#part.segment);
  }

  /** Fetches the body of the current document, with the others of its leaf. */
  async open(): Promise<void> {
    const segment = this.#part?.segment;
    if (!segment) throw new RangeError('the cursor is not at a document');
    if (!this.requestBody()) this.#whole = { segment, leaf: await this.#archive.leaf(segment) };
  }

  /** The encoded current document; call `open` first. */
  document(): Uint8Array {
    const part = this.#part;
    if (!part) throw new RangeError('the cursor is not at a document');
    const leaf = this.#whole?.segment === part.segment ? this.#whole.leaf : part.leaf;
    return leaf.content(this.#slot);
  }

  async content(): Promise<Uint8Array> {
    await this.open();
    return this.document();
  }

  async close(): Promise<void> {
    await this.#parts.return();
  }

  #moveTo(leaf: Leaf, kind: number): true {
    const { seconds, nanos } = leaf.updated(this.#slot);
    this.name = leaf.name(this.#slot).subarray(this.#rootBytes);
    this.seconds = seconds;
    this.nanos = nanos;
    this.isTombstone = kind === recordKind.tombstone;
    this.isErased = kind === recordKind.erased;
    return true;
  }
}

/** A scope as ranges of full names. All documents sort after the root itself, and users before it. */
export const archiveRanges = ({ documentsRoot: root }: Pick<Archive, 'documentsRoot'>, scope: readonly NameRange[]) =>
  scope.map(({ from, to }) => ({
    from: Buffer.from(from === undefined ? root.slice(0, -1) : root + from),
    to: to === undefined ? undefined : Buffer.from(root + to),
  }));

/** The slots of an archive that lie in the ranges, which must be in ascending order. */
export async function* archivePartsIn(
  archive: Archive,
  within: readonly EncodedNameRange[],
  part: () => LeafContents,
): AsyncGenerator<ArchivePart, void, undefined> {
  let at = 0;
  for await (const { segment, leaf } of streamLeaves(archive, { within, part })) {
    const last = segment.start + segment.count;
    for (let next = segment.start; at < within.length; at++) {
      const { from, to } = within[at] ?? {};
      const start = from ? leaf.lowerBound(from, next, last) : next;
      const end = to ? leaf.lowerBound(to, start, last) : last;
      if (start < end) yield { segment, leaf, start, end };
      // The range may continue in the next leaf.
      if (end === last) break;
      next = end;
    }
  }
}
