import { type Archive, compareNames, type Leaf, recordKind, type Segment } from '../../archive/index.ts';
import { collectionRange, documentRange, type NameRange } from '../../firestore/index.ts';
import type { Reason } from '../../job/index.ts';
import { mapConcurrent, takeWithinBytes } from '../../platform/index.ts';
import { ArchiveCursor, archiveRanges } from '../../stored-backup/index.ts';
import { shownNames } from '../model/restore-view.ts';
import type { NamedDocuments, StartRestoreOptions } from '../model/start-options.ts';
import { cacheLeaves } from '../read/cache-leaves.ts';
import { IndexLocator } from '../read/index-locator.ts';

interface RequestedNames extends Pick<StartRestoreOptions, 'collections' | 'includeSubcollections'> {
  readonly given?: NamedDocuments['given'] | undefined;
}

/** Requested names that a backup lacks, in request order, as the record and the plan show them. */
export interface MissingNames {
  readonly unknownCollections: readonly string[];
  readonly unknownCollectionsCount: number;
  readonly notFound: readonly string[];
  readonly notFoundCount: number;
}

export interface NameSearch {
  readonly missing: MissingNames;
  /** Set if the backup has none of the requested names. */
  readonly nothingFound: (Reason & { readonly code: 'COLLECTION_NOT_FOUND' | 'DOCUMENT_NOT_FOUND' }) | undefined;
}

const concurrency = 8;
const recentLeaves = 16;

/** Undefined if `isOver` became true before every name was checked. One document costs two fetches. */
export const findMissing = async (
  archive: Archive,
  { collections, given = [], includeSubcollections }: RequestedNames,
  isOver: () => boolean = () => false,
): Promise<NameSearch | undefined> => {
  const finder = new Finder(archive);
  let isStopped = false;
  const missingOf = async (
    names: readonly (readonly [string, readonly NameRange[]])[],
    { withErased = false } = {},
  ): Promise<readonly string[] | undefined> => {
    const isFound = await mapConcurrent(names, concurrency, async ([, ranges]) => {
      isStopped ||= isOver();
      return isStopped ? undefined : finder.hasAny(ranges, { withErased });
    });
    return isFound.includes(undefined) ? undefined : names.flatMap(([name], n) => (isFound[n] ? [] : [name]));
  };
  const rangesOf = (isDeep: boolean) =>
    given.map(([name, paths]) => [name, paths.map((path) => documentRange(path, isDeep))] as const);
  const named = collections.filter((path) => path !== '*');
  const unknownCollections = await missingOf(named.map((path) => [path, [collectionRange(path)]] as const));
  const notFound = await missingOf(rangesOf(false));
  if (!unknownCollections || !notFound) return undefined;
  const isUnknown = named.length > 0 && named.length === collections.length && unknownCollections.length === named.length;
  const areAllMissing = given.length > 0 && notFound.length === given.length;
  // A document that does not exist may have subcollections, which are restored.
  const missingBelow = areAllMissing && includeSubcollections ? await missingOf(rangesOf(true)) : notFound;
  if (!missingBelow) return undefined;
  const areNoneFound = areAllMissing && missingBelow.length === given.length;
  const neverStored = areNoneFound && archive.isFiltered ? await missingOf(rangesOf(false), { withErased: true }) : notFound;
  if (!neverStored) return undefined;
  return {
    missing: {
      unknownCollections: fitting(unknownCollections),
      unknownCollectionsCount: unknownCollections.length,
      notFound: fitting(notFound),
      notFoundCount: notFound.length,
    },
    nothingFound: isUnknown
      ? noneOf('collections', unknownCollections)
      : areNoneFound
        ? neverStored.length === 0
          ? allErased(notFound)
          : noneOf('documents', notFound)
        : undefined,
  };
};

const allErased = (names: readonly string[]): NameSearch['nothingFound'] => ({
  code: 'DOCUMENT_NOT_FOUND',
  message:
    names.length === 1
      ? `The requested document was erased: ${firstNames(names)}. The erasure ledger of the project hides it in every backup`
      : `The requested documents were erased: ${firstNames(names)}. The erasure ledger of the project hides them in every backup`,
  details: { names: shownNames(names), count: names.length, reason: 'erased' },
});

const firstNames = (names: readonly string[]): string => `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`;

const noneOf = (what: 'collections' | 'documents', names: readonly string[]): NameSearch['nothingFound'] => ({
  code: what === 'collections' ? 'COLLECTION_NOT_FOUND' : 'DOCUMENT_NOT_FOUND',
  message: `The backup has none of the requested ${what}: ${firstNames(names)}`,
  details: { names: shownNames(names), count: names.length },
});

/** An item holds 400 KB, and a path alone up to 6 KB. */
const fitting = (names: readonly string[]): readonly string[] =>
  takeWithinBytes(names, { sizeOf: (name) => Buffer.byteLength(name), maxBytes: 64 << 10, maxCount: 1_000 });

interface SearchOptions {
  /** Counts documents that an erasure hides, too. */
  readonly withErased: boolean;
}

/** Whether a range contains documents, mostly by the index alone. */
class Finder {
  readonly #archive: Archive;
  readonly #locator: IndexLocator;
  readonly #leafOf: (segment: Segment) => Promise<Leaf>;

  constructor(archive: Archive) {
    this.#archive = archive;
    this.#locator = new IndexLocator(archive);
    this.#leafOf = cacheLeaves((segment) => archive.leaf(segment, 'keys'), recentLeaves);
  }

  async hasAny(ranges: readonly NameRange[], options: SearchOptions): Promise<boolean> {
    for (const range of ranges) if (await this.#has(range, options)) return true;
    return false;
  }

  async #has(range: NameRange, options: SearchOptions): Promise<boolean> {
    // A record may then be a tombstone, or hidden.
    if (this.#archive.manifest.counts.tombstones > 0 || this.#archive.isFiltered) return this.#walk(range, options);
    const [{ from, to } = {}] = archiveRanges(this.#archive, [range]);
    if (!from || !to) return this.#walk(range, options);
    const { segment, next } = await this.#locator.at(from);
    if (next && compareNames(next, to) < 0) return true;
    if (!segment) return false;
    const leaf = await this.#leafOf(segment);
    const slot = leaf.lowerBound(from, segment.start, segment.start + segment.count);
    return (
      slot < segment.start + segment.count && compareNames(leaf.name(slot), to) < 0 && leaf.kind(slot) === recordKind.document
    );
  }

  async #walk(range: NameRange, options: SearchOptions): Promise<boolean> {
    const cursor = new ArchiveCursor(this.#archive, [range], options);
    await cursor.load();
    const isFound = cursor.name !== undefined;
    await cursor.close();
    return isFound;
  }
}
