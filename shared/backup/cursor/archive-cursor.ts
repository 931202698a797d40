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

export interface ArchiveSideOptions {
  /** Whether bodies come along as long as they are asked for; else each leaf's are fetched apart, when they are. */
  readonly withBodies?: boolean;
  /** Whether documents that are told to be gone are among those that are walked. */
  readonly withTombstones?: boolean;
}

/** Slots of a leaf that lie in the scope. */
export interface ArchivePart {
  readonly segment: Segment;
  readonly leaf: Leaf;
  readonly start: number;
  readonly end: number;
}

/** Leaves in a row whose bodies nobody wants, after which none are fetched until somebody does. */
const unwantedMax = 4;

/** A backup: names and times lie apart from the bodies, which are about nine tenths of it. */
export class ArchiveCursor implements DocumentCursor {
  name: Buffer | undefined;
  seconds = 0;
  nanos = 0;
  isTombstone = false;
  readonly #archive: Archive;
  readonly #rootBytes: number;
  readonly #parts: AsyncGenerator<ArchivePart, void, undefined>;
  readonly #withTombstones: boolean;
  #part: ArchivePart | undefined;
  #slot = 0;
  #whole: { readonly segment: Segment; readonly leaf: Leaf } | undefined;
  #unwanted = 0;

  /** `through` may look at the parts before they come here. */
  constructor(
    archive: Archive,
    scope: readonly NameRange[],
    { withBodies = false, withTombstones = false }: ArchiveSideOptions = {},
    through: (parts: AsyncGenerator<ArchivePart, void, undefined>) => AsyncGenerator<ArchivePart, void, undefined> = (parts) =>
      parts,
  ) {
    this.#archive = archive;
    this.#withTombstones = withTombstones;
    this.#rootBytes = Buffer.byteLength(rootOf(archive));
    this.#parts = through(
      partsIn(archive, archiveRanges(archive, scope), () => (withBodies && this.#unwanted < unwantedMax ? 'all' : 'keys')),
    );
  }

  step(): boolean {
    const part = this.#part;
    if (!part) return false;
    while (++this.#slot < part.end) {
      const kind = part.leaf.kind(this.#slot);
      if (kind === recordKind.document || (this.#withTombstones && kind === recordKind.tombstone))
        return this.#here(part.leaf, kind);
    }
    return false;
  }

  async load(): Promise<void> {
    for (let next = await this.#parts.next(); !next.done; next = await this.#parts.next()) {
      this.#part = next.value;
      this.#slot = next.value.start - 1;
      this.#unwanted += 1;
      if (this.step()) return;
    }
    this.#part = undefined;
    this.name = undefined;
  }

  /** Says that the body of the document here is needed; true if it was fetched, and so proven, already. */
  want(): boolean {
    this.#unwanted = 0;
    return this.#part !== undefined && (this.#part.leaf.hasBodies || this.#whole?.segment === this.#part.segment);
  }

  /** Fetches the body of the document here, with those around it. */
  async open(): Promise<void> {
    const segment = this.#part?.segment;
    if (!segment) throw new RangeError('there is no document here');
    if (!this.want()) this.#whole = { segment, leaf: await this.#archive.leaf(segment) };
  }

  /** The encoded document here, which must be open. */
  document(): Uint8Array {
    const part = this.#part;
    if (!part) throw new RangeError('there is no document here');
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

  #here(leaf: Leaf, kind: number): true {
    const { seconds, nanos } = leaf.updated(this.#slot);
    this.name = leaf.name(this.#slot).subarray(this.#rootBytes);
    this.seconds = seconds;
    this.nanos = nanos;
    this.isTombstone = kind === recordKind.tombstone;
    return true;
  }
}

export const rootOf = ({ documentsRoot }: Archive): string => documentsRoot;

/** A scope as names of the archive: all documents come after the root itself, and users before. */
export const archiveRanges = (archive: Archive, scope: readonly NameRange[]) => {
  const root = rootOf(archive);
  return scope.map(({ from, to }) => ({
    from: Buffer.from(from === undefined ? root.slice(0, -1) : root + from),
    to: to === undefined ? undefined : Buffer.from(root + to),
  }));
};

/** The slots of an archive that lie in the ranges, which ascend. */
export async function* partsIn(
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
      // The range may go on in the next leaf.
      if (end === last) break;
      next = end;
    }
  }
}
