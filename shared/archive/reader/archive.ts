import type { PackedLeaf } from '../chunk/leaf-copier.ts';
import { type FilterDirectory, type FilterEntry, filterName, parseDirectory, withoutHash } from '../filter/filter-directory.ts';
import { Leaf } from '../leaf/leaf.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { FrameOpener, unpack } from '../object/frame-opener.ts';
import { encodeHeader, noncePrefixBytes, saltBytes } from '../object/header.ts';
import type { ObjectEntry } from '../object/object-writer.ts';
import { verified } from '../object/verified.ts';
import { decodePage, type Segment } from '../page/index-page.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { decodeBase64 } from '../primitives/bytes.ts';
import { frameLengthBytes, maxSealedBytes } from '../primitives/format-limits.ts';
import { objectId } from '../primitives/identity.ts';
import { lastAtMost } from '../primitives/last-at-most.ts';
import { attachObject, checkSegment } from './integrity.ts';
import { LeafCache, type LeafContents } from './leaf-cache.ts';
import { reread } from './reread.ts';
import { type NamedPage, segmentsInRanges } from './segments-in-ranges.ts';

export interface FetchedRange {
  readonly offset: number;
  readonly length: number;
  /** How many reads of the range failed their check. */
  readonly again: number;
}

interface ArchiveSource {
  /** Reads exactly this range of an object. Errors pass through to the caller. */
  readonly fetch: (object: ObjectEntry, range: FetchedRange) => Promise<Uint8Array>;
  /** The data key of this backup or of an earlier one that it references. */
  readonly dataKey: (backup: string) => Uint8Array | Promise<Uint8Array>;
  /** Whether to verify the clear-text headers as well. Reads do not depend on them, but a difference shows a modification. */
  readonly verifiesHeaders?: boolean | undefined;
  /** How many bytes of leaves are cached because they are read again. Those of a chain always are. */
  readonly leafCacheBytes?: number | undefined;
  /** Hides the records of erased documents. Without it every record is readable. */
  readonly erasures?: RecordFilter | undefined;
  /**
   * Called when a range fails verification, before it is fetched again. Distinguishes a bad transfer from damage. May select
   * another stored version of the object.
   */
  readonly onRetry?: (object: ObjectEntry, error: Error) => Promise<void> | void;
  /** Whether an error of `fetch` means that the transfer was bad, so that the range is fetched again. */
  readonly isBadTransfer?: ((error: unknown) => boolean) | undefined;
}

/** Hides records of a leaf. */
export interface RecordFilter {
  /** Hides what is to be hidden. False if that depends on the bodies, which the leaf lacks; then it is read with them. */
  apply(leaf: Leaf): boolean;
}

/** A leaf to fetch together with others. */
export interface WantedLeaf {
  readonly segment: Segment;
  readonly withBodies: boolean;
}

export interface FetchedLeaf {
  /** Without bodies. */
  readonly leaf: Leaf;
  /** If the bodies were wanted. */
  readonly packed?: PackedLeaf;
}

const endOf = ({ segment: { offset, keysLength, bodiesLength }, withBodies }: WantedLeaf): number =>
  offset + keysLength + (withBodies ? bodiesLength : 0);

/** A leaf from its compressed frames; with its keys alone the bodies cannot be read. */
export const unpackLeaf = ({ keys, bodies, keysSha256, bodiesSha256 }: PackedLeaf, part: LeafContents = 'all'): Leaf =>
  new Leaf(verified(unpack(keys), keysSha256), part === 'keys' ? undefined : verified(unpack(bodies), bodiesSha256));

/** Pages to cache, about 100 KB each. */
const maxRecentPages = 8;

export interface Found {
  readonly leaf: Leaf;
  readonly slot: number;
}

/**
 * Reads ranges of a backup. A chain of proof verifies every range: the manifest has the salt of each object and the hash of each
 * index page, a page has the hashes of its leaves, and each frame is authenticated.
 */
export class Archive {
  readonly manifest: Manifest;
  /** The prefix of all document names: `projects/{id}/databases/{id}/documents/`. */
  readonly documentsRoot: string;
  readonly #source: ArchiveSource;
  readonly #objects: ReadonlyMap<string, ObjectEntry>;
  readonly #filters: ReadonlyMap<string, FilterEntry>;
  readonly #openers = new Map<string, Promise<FrameOpener>>();
  readonly #recentPages = new Map<NamedPage, Promise<readonly Segment[]>>();
  /** Most readers of a full backup read each leaf once and need no cache. */
  readonly #leaves: LeafCache | undefined;
  /** Pages with segments, in name order. */
  readonly pages: readonly NamedPage[];

  constructor(manifest: Manifest, source: ArchiveSource) {
    this.manifest = manifest;
    this.documentsRoot = `${manifest.source}/documents/`;
    this.#source = source;
    this.#objects = new Map(manifest.objects.map((entry) => [objectId(entry), entry]));
    this.#filters = new Map((manifest.filters ?? []).map((entry) => [objectId(entry), entry]));
    const isChain = manifest.objects.some(({ backup }) => backup !== manifest.backup);
    if (isChain || source.leafCacheBytes !== undefined) this.#leaves = new LeafCache(isChain ? undefined : source.leafCacheBytes);
    this.pages = manifest.pages
      .filter(({ segments }) => segments > 0)
      .map((page) => ({ ...page, name: Buffer.from(page.first, 'base64url') }));
  }

  /** Whether records may be hidden, so that the index alone does not prove that a document is visible. */
  get isFiltered(): boolean {
    return this.#source.erasures !== undefined;
  }

  /** Finds a record, including tombstones, with two fetches: one index page and one leaf. */
  async find(name: Uint8Array): Promise<Found | undefined> {
    const page = this.pages[lastAtMost(this.pages, name, (one) => one.name)];
    if (!page) return undefined;
    const segments = await this.segmentsOf(page);
    const segment = segments[lastAtMost(segments, name, (one) => one.first)];
    if (!segment) return undefined;
    const leaf = await this.leaf(segment);
    const slot = leaf.find(name, segment.start, segment.start + segment.count);
    return slot < 0 ? undefined : { leaf, slot };
  }

  /** All segments in name order, starting with the one that may contain `from`. */
  segments(from?: Uint8Array): AsyncGenerator<Segment, void, undefined> {
    return segmentsInRanges(this, [{ from }]);
  }

  /** Reads the leaf of a segment, or only its keys: a tenth of it, enough to compare names and times. */
  leaf(segment: Segment, part: LeafContents = 'all'): Promise<Leaf> {
    const read = (): Promise<Leaf> => this.#filteredLeaf(segment, part);
    return attachObject({ backup: segment.backup, name: segment.object }, async () =>
      this.#leaves ? checkSegment(await this.#leaves.get(segment, part, read), segment) : read(),
    );
  }

  /** The one place where records leave the archive: no reader sees an erased document. */
  async #filteredLeaf(segment: Segment, part: LeafContents): Promise<Leaf> {
    const leaf = await this.#leaf(segment, part);
    const { erasures } = this.#source;
    if (!erasures || erasures.apply(leaf)) return leaf;
    const whole = await this.#leaf(segment, 'all');
    erasures.apply(whole);
    return whole;
  }

  async #leaf(segment: Segment, part: LeafContents): Promise<Leaf> {
    const { entry, frame, offset, keysLength, bodiesLength } = this.#located(segment);
    const length = part === 'keys' ? keysLength : keysLength + bodiesLength;
    return this.#open(entry, { offset, length }, (bytes, opener) => {
      const keys = verified(opener.open(bytes.subarray(0, keysLength), frame, false), segment.keysSha256);
      const bodies =
        part === 'keys'
          ? undefined
          : verified(opener.open(bytes.subarray(keysLength), frame + 1, frame + 2 === entry.frames), segment.bodiesSha256);
      return checkSegment(new Leaf(keys, bodies), segment);
    });
  }

  #located(segment: Segment) {
    const entry = this.#entry(segment.backup, segment.object);
    const { frame, offset, keysLength, bodiesLength } = segment;
    if (offset + keysLength + bodiesLength > entry.size || frame + 1 >= entry.frames)
      throw invalid('a segment exceeds its chunk');
    return { entry, frame, offset, keysLength, bodiesLength };
  }

  /**
   * The leaves of segments of one object, in the order of their offsets, with one fetch. Their bodies, if they are wanted, are
   * authenticated and stay compressed; whether they match their hash is left to readers of what is copied.
   */
  packedLeaves(wanted: readonly WantedLeaf[]): Promise<readonly FetchedLeaf[]> {
    const [first] = wanted;
    const last = wanted.at(-1);
    if (!first || !last) return Promise.resolve([]);
    if (this.isFiltered) throw new Error('a leaf cannot be copied without what an erasure hides in it');
    const { backup, object: name } = first.segment;
    return attachObject({ backup, name }, async () => {
      const { entry, offset } = this.#located(first.segment);
      return this.#open(entry, { offset, length: endOf(last) - offset }, (bytes, opener) =>
        wanted.map((one) => this.#fetched(one, bytes.subarray(one.segment.offset - offset, endOf(one) - offset), opener)),
      );
    });
  }

  #fetched({ segment, withBodies }: WantedLeaf, bytes: Uint8Array, opener: FrameOpener): FetchedLeaf {
    const { entry, frame, keysLength } = this.#located(segment);
    const { records, keysSha256, bodiesSha256 } = segment;
    const keys = opener.unseal(bytes.subarray(0, keysLength), frame, false);
    const leaf = checkSegment(new Leaf(verified(unpack(keys), keysSha256)), segment);
    if (!withBodies) return { leaf };
    const bodies = opener.unseal(bytes.subarray(keysLength), frame + 1, frame + 2 === entry.frames);
    return { leaf, packed: { records, keys, bodies, keysSha256, bodiesSha256 } };
  }

  /** The segments of a page; recent pages are cached. */
  segmentsOf(page: NamedPage): Promise<readonly Segment[]> {
    const known = this.#recentPages.get(page);
    if (known) return known;
    const reading = attachObject({ backup: this.manifest.backup, name: page.object }, () => this.#readPage(page));
    this.#recentPages.set(page, reading);
    // Failed reads are not cached.
    reading.catch(() => this.#recentPages.delete(page));
    for (const oldest of this.#recentPages.keys()) if (this.#recentPages.size > maxRecentPages) this.#recentPages.delete(oldest);
    return reading;
  }

  async #readPage(page: NamedPage): Promise<readonly Segment[]> {
    if (page.length > frameLengthBytes + maxSealedBytes)
      throw new ArchiveError('too-large', `an index page declares ${page.length} bytes`);
    const entry = this.#entry(this.manifest.backup, page.object);
    return this.#open(entry, page, (bytes, opener) => {
      const plain = opener.open(bytes, page.frame, page.frame + 1 === entry.frames);
      const sha256 = decodeBase64(page.sha256, 32);
      const segments = decodePage(sha256 ? verified(plain, sha256) : plain);
      const records = segments.reduce((sum, { count }) => sum + count, 0);
      if (segments.length !== page.segments || records !== page.records || !segments[0]?.first.equals(page.name))
        throw invalid('an index page differs from the manifest');
      return segments;
    });
  }

  /** The filters of the chunk of a segment, if there are any. */
  filterOf({ backup, object }: Pick<Segment, 'backup' | 'object'>): FilterEntry | undefined {
    return this.#filters.size === 0 ? undefined : this.#filters.get(objectId({ backup, name: filterName(object) }));
  }

  filterDirectory(entry: FilterEntry): Promise<FilterDirectory> {
    const { directory: length, frames, size } = entry;
    return this.#open(entry, { offset: size - length, length }, (bytes, opener) =>
      parseDirectory(opener.open(bytes, frames - 1, true), entry),
    );
  }

  /** The filters of some leaves, as `bloomStarts` finds them. */
  filterSection(
    entry: FilterEntry,
    { frame, ...range }: { readonly frame: number; readonly offset: number; readonly length: number },
  ): Promise<Buffer> {
    return this.#open(entry, range, (bytes, opener) => withoutHash(opener.open(bytes, frame, false)));
  }

  /** Fetches and opens a range; a range that fails verification is fetched again. */
  async #open<T>(
    entry: ObjectEntry,
    { offset, length }: Pick<FetchedRange, 'offset' | 'length'>,
    open: (bytes: Uint8Array, opener: FrameOpener) => T,
  ): Promise<T> {
    const opener = await this.#opener(entry);
    return this.#withRetry(entry, async (again) => open(await this.#fetch(entry, { offset, length, again }), opener));
  }

  #withRetry<T>(entry: ObjectEntry, read: (again: number) => Promise<T>): Promise<T> {
    const { onRetry, isBadTransfer } = this.#source;
    return reread(read, async (error) => {
      if (!(error instanceof ArchiveError) && !isBadTransfer?.(error)) return false;
      await onRetry?.(entry, error as Error);
      return true;
    });
  }

  #entry(backup: string, name: string): ObjectEntry {
    const entry = this.#objects.get(objectId({ backup, name }));
    if (!entry) throw invalid('a segment references a chunk that the manifest does not list');
    return entry;
  }

  async #fetch(entry: ObjectEntry, range: FetchedRange): Promise<Uint8Array> {
    const bytes = await this.#source.fetch(entry, range);
    if (bytes.length !== range.length) throw new ArchiveError('truncated', `received ${bytes.length} of ${range.length} bytes`);
    return bytes;
  }

  #opener(entry: ObjectEntry): Promise<FrameOpener> {
    const id = objectId(entry);
    const known = this.#openers.get(id) ?? this.#newOpener(entry);
    this.#openers.set(id, known);
    // Failures are not cached.
    known.catch(() => this.#openers.delete(id));
    return known;
  }

  async #newOpener(entry: ObjectEntry): Promise<FrameOpener> {
    const { organization, project } = this.manifest;
    const [salt, noncePrefix] = [decodeBase64(entry.salt, saltBytes), decodeBase64(entry.noncePrefix, noncePrefixBytes)];
    if (!salt || !noncePrefix) throw new ArchiveError('manifest-invalid', 'the manifest lists an object with an invalid salt');
    const header = { identity: { organization, project, backup: entry.backup }, name: entry.name, salt, noncePrefix };
    if (this.#source.verifiesHeaders)
      await this.#withRetry(entry, (again) => this.#verifyHeader(entry, encodeHeader(header), again));
    return new FrameOpener(header, await this.#source.dataKey(entry.backup));
  }

  async #verifyHeader(entry: ObjectEntry, expected: Buffer, again: number): Promise<void> {
    if (!expected.equals(await this.#fetch(entry, { offset: 0, length: expected.length, again })))
      throw new ArchiveError('header-invalid', 'the header of the object differs from the manifest');
  }
}

const invalid = (message: string): ArchiveError => new ArchiveError('index-invalid', message);
