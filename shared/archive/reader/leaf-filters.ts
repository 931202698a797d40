/** Tells which leaves cannot have a value, from the filters that were stored with them. */
import { bloomStarts, isUnknown, mayContain } from '../filter/bloom-filter.ts';
import { type FieldPath, type FilterDirectory, type FilterEntry, leavesPerSection } from '../filter/filter-directory.ts';
import { textHash } from '../filter/text-hash.ts';
import { leavesInSection } from '../filter/verify-filter.ts';
import type { Segment } from '../page/index-page.ts';
import { objectId } from '../primitives/identity.ts';
import type { Archive } from './archive.ts';

/** A value that a document is to have: an id, or the key of the value of a field. */
export interface WantedValue {
  /** Undefined for the id. */
  readonly field: FieldPath | undefined;
  readonly hash: number;
}

export const wantedId = (id: string): WantedValue => ({ field: undefined, hash: textHash(id) });
export const wantedValue = (field: FieldPath, key: string): WantedValue => ({ field, hash: textHash(key) });

/** `absent`: no document of the leaf has it. `unknown`: there is no filter that says so, or it cannot be read. */
export type LeafVerdict = 'absent' | 'possible' | 'unknown';

/** What is kept in memory. A section takes some 200 KB, at most 4 MB. */
const sectionBytesMax = 64 << 20;

interface Section {
  readonly content: Buffer;
  readonly starts: readonly number[];
}

interface HeldSection {
  readonly reading: Promise<Section | undefined>;
  readonly bytes: number;
}

export class LeafFilters {
  readonly #archive: Archive;
  readonly #onUnreadable: (entry: FilterEntry, error: unknown) => void;
  readonly #directories = new Map<string, Promise<FilterDirectory | undefined>>();
  /** The last used is the last one. */
  readonly #sections = new Map<string, HeldSection>();
  readonly #unreadable = new Set<string>();
  #bytes = 0;
  /** Bytes that were fetched. */
  bytesRead = 0;

  /** `onUnreadable` is called once per object: its leaves are then unknown. */
  constructor(archive: Archive, onUnreadable: (entry: FilterEntry, error: unknown) => void) {
    this.#archive = archive;
    this.#onUnreadable = onUnreadable;
  }

  /** Never rejects: without its filter a leaf is unknown, and is to be read. */
  async verdictOn(segment: Segment, { field, hash }: WantedValue): Promise<LeafVerdict> {
    const entry = this.#archive.filterOf(segment);
    const directory = entry && (await this.#directory(entry));
    const leaf = segment.frame / 2;
    if (!directory || !Number.isInteger(leaf) || leaf >= directory.leaves) return 'unknown';
    const column = field ? 1 + directory.fields.findIndex((one) => isSamePath(one, field)) : 0;
    if (field && column === 0) return 'unknown';
    const group = Math.floor(leaf / leavesPerSection);
    const section = await this.#section(entry, directory, { group, column });
    const start = section?.starts[leaf - group * leavesPerSection];
    if (!section || start === undefined || isUnknown(section.content, start)) return 'unknown';
    return mayContain(section.content, start, hash) ? 'possible' : 'absent';
  }

  #directory(entry: FilterEntry): Promise<FilterDirectory | undefined> {
    const id = objectId(entry);
    const known = this.#directories.get(id) ?? this.#read(entry, entry.directory, () => this.#archive.filterDirectory(entry));
    this.#directories.set(id, known);
    return known;
  }

  #section(
    entry: FilterEntry,
    { leaves, fields, sections }: FilterDirectory,
    { group, column }: { readonly group: number; readonly column: number },
  ): Promise<Section | undefined> {
    const frame = group * (1 + fields.length) + column;
    const key = `${objectId(entry)} ${frame}`;
    const known = this.#sections.get(key);
    if (known) {
      this.#sections.delete(key);
      this.#sections.set(key, known);
      return known.reading;
    }
    const length = sections[frame] ?? 0;
    const offset = entry.size - entry.directory - sections.slice(frame).reduce((sum, one) => sum + one, 0);
    const reading = this.#read(entry, length, async () => {
      const content = await this.#archive.filterSection(entry, { frame, offset, length });
      return { content, starts: bloomStarts(content, leavesInSection(leaves, group)) };
    });
    this.#sections.set(key, { reading, bytes: length });
    this.#bytes += length;
    for (const [oldest, { bytes }] of this.#sections) {
      if (this.#bytes <= sectionBytesMax || oldest === key) break;
      this.#sections.delete(oldest);
      this.#bytes -= bytes;
    }
    return reading;
  }

  async #read<T>(entry: FilterEntry, bytes: number, read: () => Promise<T>): Promise<T | undefined> {
    const id = objectId(entry);
    if (this.#unreadable.has(id)) return undefined;
    try {
      const found = await read();
      this.bytesRead += bytes;
      return found;
    } catch (error) {
      if (!this.#unreadable.has(id)) this.#onUnreadable(entry, error);
      this.#unreadable.add(id);
      return undefined;
    }
  }
}

const isSamePath = (a: FieldPath, b: FieldPath): boolean => a.length === b.length && a.every((segment, n) => segment === b[n]);
