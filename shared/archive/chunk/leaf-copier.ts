import type { FilterEntry } from '../filter/filter-directory.ts';
import { type FilterSource, FilterWriter } from '../filter/filter-writer.ts';
import { recordKind } from '../leaf/column-layout.ts';
import { Leaf } from '../leaf/leaf.ts';
import { type PackedFrame, unpack } from '../object/frame-opener.ts';
import { type ObjectEntry, ObjectWriter, type WriterOptions } from '../object/object-writer.ts';
import { verified } from '../object/verified.ts';
import type { LeafLocation } from '../page/index-page.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { frameLengthBytes, plainLengthBytes, tagBytes } from '../primitives/format-limits.ts';
import { objectKind } from '../primitives/identity.ts';

/** A leaf of another chunk whose two frames are authenticated and still compressed. */
export interface PackedLeaf {
  readonly records: number;
  readonly keys: PackedFrame;
  readonly bodies: PackedFrame;
  /** Of the uncompressed frames. */
  readonly keysSha256: Buffer;
  readonly bodiesSha256: Buffer;
}

/**
 * Writes a chunk of leaves that are copied from other chunks: they are encrypted again, and not compressed again. The caller adds them
 * in name order. An index may name only some of their records; the others can no longer be found.
 */
export class LeafCopier {
  readonly #object: ObjectWriter;
  readonly #source: { readonly backup: string; readonly object: string };
  readonly #filter: FilterWriter | undefined;
  /** The last leaf; it is sealed when it is known whether another one follows. */
  #held: PackedLeaf | undefined;
  #frames = 0;
  #end: number;
  #records = 0;

  constructor(name: string, options: WriterOptions & { readonly filter?: FilterSource | undefined }) {
    if (objectKind(name) !== 'chunk') throw new ArchiveError('header-invalid', 'not a chunk name');
    this.#object = new ObjectWriter(name, options);
    this.#end = this.#object.pendingBytes;
    this.#source = { backup: options.identity.backup, object: name };
    this.#filter = options.filter && new FilterWriter(name, options, options.filter);
  }

  /** Where the leaf will be. */
  copy(leaf: PackedLeaf): LeafLocation {
    this.#seal(false);
    this.#held = leaf;
    const { records, keys, bodies, keysSha256, bodiesSha256 } = leaf;
    const [keysLength, bodiesLength] = [sealedBytes(keys), sealedBytes(bodies)];
    const location = {
      ...this.#source,
      frame: this.#frames,
      offset: this.#end,
      ...{ keysLength, bodiesLength, records, keysSha256, bodiesSha256 },
    };
    this.#frames += 2;
    this.#end += keysLength + bodiesLength;
    this.#records += records;
    if (this.#filter) addLeaf(this.#filter, leaf, keysLength + bodiesLength);
    return location;
  }

  get pendingBytes(): number {
    return this.#object.pendingBytes;
  }

  take(): readonly Buffer[] {
    return this.#object.take();
  }

  /** Writes the last leaf; the pending bytes then complete the object. */
  finish(): ObjectEntry {
    if (!this.#held) throw new Error('no leaf was copied');
    this.#seal(true);
    return this.#object.entry(this.#records);
  }

  /** After `finish`: the entry of the filters, whose pending bytes complete them; undefined if none are to be stored. */
  finishFilter({ size }: ObjectEntry): FilterEntry | undefined {
    return this.#filter?.finish(size);
  }

  get pendingFilterBytes(): number {
    return this.#filter?.pendingBytes ?? 0;
  }

  takeFilter(): readonly Buffer[] {
    return this.#filter?.take() ?? [];
  }

  #seal(last: boolean): void {
    if (!this.#held) return;
    const { keys, bodies, keysSha256, bodiesSha256 } = this.#held;
    this.#object.sealPacked(keys, keysSha256, false);
    this.#object.sealPacked(bodies, bodiesSha256, last);
    this.#held = undefined;
  }
}

const sealedBytes = ({ packed }: PackedFrame): number => frameLengthBytes + plainLengthBytes + packed.length + tagBytes;

/** Its documents, also those that the backup no longer has. One that is damaged gets no filter: readers of the leaf report it. */
const addLeaf = (filter: FilterWriter, { keys, bodies, keysSha256, bodiesSha256 }: PackedLeaf, storedBytes: number): void => {
  try {
    const leaf = new Leaf(verified(unpack(keys), keysSha256), verified(unpack(bodies), bodiesSha256));
    for (let slot = 0; slot < leaf.count; slot++) {
      if (leaf.kind(slot) !== recordKind.document) continue;
      const [name, body] = [leaf.name(slot), leaf.body(slot)];
      filter.document(name, 0, name.length, body, 0, body.length);
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    filter.setUnknown();
  }
  filter.endLeaf(storedBytes);
};
