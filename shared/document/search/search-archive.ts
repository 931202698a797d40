/** Scans a backup, or a part of it, for the documents that a query means. */
import {
  type Archive,
  compareNames,
  type EncodedNameRange,
  recordKind,
  Seeker,
  type Segment,
  streamLeaves,
} from '../../archive/index.ts';
import { collectionIdOf } from '../../firestore/index.ts';
import { jsonBytes } from '../../platform/index.ts';
import { type DocumentEntry, documentEntry } from '../../stored-backup/index.ts';
import { documentMatcher } from './document-matcher.ts';
import type { LeafSkipper } from './leaf-skipper.ts';
import type { SearchQuery } from './parse-query.ts';

export interface Scan {
  readonly query: SearchQuery;
  /** Names that are looked at. */
  readonly range: EncodedNameRange;
  /** Only documents whose collection has this id. */
  readonly collectionId?: string | undefined;
  readonly matchesMax: number;
  readonly skipper: LeafSkipper;
  readonly isOver: () => boolean;
}

export interface Scanned {
  readonly matches: readonly DocumentEntry[];
  /** Rank of the first record that was not looked at; undefined if all were. */
  readonly next: number | undefined;
  readonly documents: number;
  readonly bytes: number;
}

/** A function returns at most 6 MB. */
const responseBytesMax = 5_000_000;

/** A path is looked up in the index. An id needs the names alone, a tenth of the backup; conditions need every document in the range. Filters rule leaves out. */
export const searchArchive = async (archive: Archive, scan: Scan): Promise<Scanned> => {
  const { query } = scan;
  if (query.kind === 'path') return lookUp(archive, query.path, scan);
  return new ArchiveScan(archive, scan, query).run();
};

const lookUp = async (archive: Archive, path: string, { range, collectionId }: Scan): Promise<Scanned> => {
  const name = Buffer.from(archive.documentsRoot + path);
  const isMeant = isWithin(name, range) && (collectionId === undefined || collectionIdOf(path) === collectionId);
  const found = isMeant ? await archive.find(name) : undefined;
  const isThere = found && found.leaf.kind(found.slot) === recordKind.document;
  const content = isThere ? [found.leaf.content(found.slot)] : [];
  const matches = content.map((encoded) => documentEntry(encoded, archive.documentsRoot.length, responseBytesMax));
  return { matches, next: undefined, documents: 1, bytes: 0 };
};

class ArchiveScan {
  readonly #archive: Archive;
  readonly #scan: Scan;
  readonly #isMatch: (path: string, body: () => Buffer) => boolean;
  readonly #needsBodies: boolean;
  readonly #matches: DocumentEntry[] = [];
  #responseBytes = 0;
  #documents = 0;
  #bytes = 0;
  readonly #filterBytes: number;

  constructor(archive: Archive, scan: Scan, query: Exclude<SearchQuery, { kind: 'path' }>) {
    this.#archive = archive;
    this.#scan = scan;
    this.#needsBodies = query.kind === 'values';
    this.#filterBytes = scan.skipper.bytesRead;
    if (query.kind === 'id') this.#isMatch = (path) => path.endsWith(`/${query.id}`);
    else {
      const matches = documentMatcher(query.conditions, archive.documentsRoot);
      this.#isMatch = (path, body) => matches(path, body());
    }
  }

  async run(): Promise<Scanned> {
    const { range, isOver, skipper } = this.#scan;
    const part = this.#needsBodies ? 'all' : 'keys';
    // When the time is up, the next leaf is not skipped: the search goes on there.
    const skips = async (segment: Segment, next: Buffer | undefined): Promise<boolean> =>
      !isOver() && (await skipper.canSkip(segment, next));
    let isFirst = true;
    for await (const { segment, leaf } of streamLeaves(this.#archive, {
      within: [range],
      part,
      ...(skipper.isApplicable && { skips }),
    })) {
      const end = segment.start + segment.count;
      // At least one leaf is read, so that a search makes progress however little time there is.
      if (!isFirst && isOver()) return this.#endAt(leaf.name(segment.start));
      isFirst = false;
      for (let slot = segment.start; slot < end; slot++) {
        const name = leaf.name(slot);
        if (leaf.kind(slot) !== recordKind.document || !isWithin(name, range)) continue;
        if (!this.#isFound(name, () => leaf.body(slot))) {
          this.#documents += 1;
          continue;
        }
        const content = leaf.hasBodies ? leaf.content(slot) : await this.#contentOf(name);
        if (content && !this.#add(content)) return this.#endAt(name);
        this.#documents += 1;
      }
      this.#bytes += bytesRead(segment, this.#needsBodies);
    }
    return this.#scanned(undefined);
  }

  #scanned(next: number | undefined): Scanned {
    const bytes = this.#bytes + this.#scan.skipper.bytesRead - this.#filterBytes;
    return { matches: this.#matches, next, documents: this.#documents, bytes };
  }

  #isFound(name: Buffer, body: () => Buffer): boolean {
    const path = name.toString('utf8', this.#archive.documentsRoot.length);
    const { collectionId } = this.#scan;
    return (collectionId === undefined || collectionIdOf(path) === collectionId) && this.#isMatch(path, body);
  }

  async #contentOf(name: Buffer): Promise<Uint8Array | undefined> {
    const found = await this.#archive.find(name);
    return found && found.leaf.kind(found.slot) === recordKind.document ? found.leaf.content(found.slot) : undefined;
  }

  /** False if the page is full; the document then begins the next one. */
  #add(content: Uint8Array): boolean {
    const entry = documentEntry(content, this.#archive.documentsRoot.length, responseBytesMax);
    const bytes = jsonBytes(entry);
    const isFull = this.#matches.length === this.#scan.matchesMax || this.#responseBytes + bytes > responseBytesMax;
    if (isFull && this.#matches.length > 0) return false;
    this.#matches.push(entry);
    this.#responseBytes += bytes;
    return true;
  }

  async #endAt(name: Buffer): Promise<Scanned> {
    const seeker = new Seeker(this.#archive);
    await seeker.seek(name);
    return this.#scanned(await seeker.rank());
  }
}

const isWithin = (name: Buffer, { from, to }: EncodedNameRange): boolean =>
  (!from || compareNames(name, from) >= 0) && (!to || compareNames(name, to) < 0);

const bytesRead = ({ keysLength, bodiesLength }: Segment, withBodies: boolean): number =>
  keysLength + (withBodies ? bodiesLength : 0);
