/** Lists the contents of a backup: the collections of the root or a document, or the documents of a collection. */
import { type Archive, afterSubtree, recordKind, Seeker } from '../../archive/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { collectionRange, isCollectionPath, isDocumentPath } from '../../firestore/index.ts';
import { jsonBytes } from '../../platform/index.ts';
import { type DocumentEntry, documentEntry, erasedDocument } from '../read/document-entry.ts';

interface BrowseOptions {
  readonly limit: number;
  /** Rank of the record of the previous page's last entry. */
  readonly after: number | undefined;
  /** Whether to list documents that do not exist but have subcollections. */
  readonly showMissing: boolean;
  /** Whether to list the documents of all depths below the path, and no collections. */
  readonly descendants?: boolean | undefined;
  /** Path of the first document, unless a previous page says where to go on. */
  readonly startAt?: string | undefined;
}

interface Listing {
  readonly entries: readonly DocumentEntry[];
  readonly next: number | undefined;
}

/** A function returns at most 6 MB. */
const responseBytesMax = 5_500_000;

/** Leaves (about 2,000 documents each) read to count one collection, and all collections of a page. */
const countFetchesEach = 16;
const countFetchesMax = 64;

/** One page, in name order. Throws NOT_FOUND if the path does not exist. */
export const browseArchive = async (archive: Archive, { kind, path }: BrowsePath, options: BrowseOptions): Promise<Listing> => {
  const page = new PageBuilder(archive, path, options);
  if (options.descendants) await page.descendants();
  else if (kind === 'collection') await page.documents();
  else await page.collections(kind === 'document');
  if (!page.exists && page.isErased) throw erasedDocument();
  if (!page.exists && kind !== 'root' && options.startAt === undefined)
    throw new ApiError('NOT_FOUND', 'The backup has nothing at this path');
  return { entries: page.entries, next: page.next };
};

class PageBuilder {
  readonly entries: DocumentEntry[] = [];
  next: number | undefined;
  exists = false;
  /** The document at the path is hidden by an erasure. */
  isErased = false;
  readonly #seeker: Seeker;
  readonly #root: string;
  readonly #path: string;
  readonly #options: BrowseOptions;
  #bytes = 0;
  #last = 0;
  #remainingCountFetches = countFetchesMax;

  constructor(archive: Archive, path: string, options: BrowseOptions) {
    this.#seeker = new Seeker(archive);
    this.#root = archive.documentsRoot;
    this.#path = path;
    this.#options = options;
  }

  /** The documents of the collection, without their subcollections. */
  async documents(): Promise<void> {
    const seeker = this.#seeker;
    const prefix = Buffer.from(`${this.#root}${this.#path}/`);
    seeker.part = 'all';
    const first = this.#options.startAt ?? collectionRange(this.#path).from;
    let listed = await this.#begin(Buffer.from(this.#root + first), prefix);
    for (let name = await seeker.name(); name && startsWith(name, prefix); name = await seeker.name()) {
      if ((await seeker.kind()) !== recordKind.document) {
        await seeker.next();
        continue;
      }
      this.exists = true;
      const end = name.indexOf(slash, prefix.length);
      const own = end < 0 ? name : name.subarray(0, end);
      const id = own.toString('utf8', prefix.length);
      if (end < 0) {
        if (!(await this.#add(await this.#document()))) return;
        await seeker.next();
      } else {
        const isMissing = this.#options.showMissing && id !== listed;
        if (isMissing && !(await this.#add({ type: 'document', path: `${this.#path}/${id}`, id, missing: true }))) return;
        await seeker.seek(afterSubtree(own));
      }
      listed = id;
    }
  }

  /** The documents of all depths below the path. */
  async descendants(): Promise<void> {
    const seeker = this.#seeker;
    const own = Buffer.from(`${this.#root}${this.#path}`.replace(/\/$/, ''));
    const prefix = Buffer.from(`${own}/`);
    const { after, startAt } = this.#options;
    seeker.part = 'all';
    if (after === undefined) await seeker.seek(startAt === undefined ? own : Buffer.from(this.#root + startAt));
    else if (await seeker.seekRank(after)) await seeker.next();
    this.exists = after !== undefined;
    for (let name = await seeker.name(); name && (startsWith(name, prefix) || name.equals(own)); name = await seeker.name()) {
      if (name.length > prefix.length && (await seeker.kind()) === recordKind.document) {
        this.exists = true;
        if (!(await this.#add(await this.#document()))) return;
      }
      await seeker.next();
    }
  }

  /** The collections of the root or of a document; a document itself comes first, if it exists. */
  async collections(isDocument: boolean): Promise<void> {
    const seeker = this.#seeker;
    const prefix = Buffer.from(isDocument ? `${this.#root}${this.#path}/` : this.#root);
    const own = prefix.subarray(0, -1);
    const { after } = this.#options;
    if (after === undefined) {
      seeker.part = isDocument ? 'all' : 'keys';
      await seeker.seek(own);
      if ((await seeker.name())?.equals(own)) await this.#self();
    } else await this.#begin(own, prefix);
    seeker.part = 'keys';
    for (let name = await seeker.name(); name && startsWith(name, prefix); name = await seeker.name()) {
      if ((await seeker.kind()) !== recordKind.document) {
        await seeker.next();
        continue;
      }
      this.exists = true;
      const collection = name.subarray(0, name.indexOf(slash, prefix.length));
      const id = collection.toString('utf8', prefix.length);
      const path = isDocument ? `${this.#path}/${id}` : id;
      if (!(await this.#add({ type: 'collection', path, id }))) return;
      await this.#count(Buffer.from(`${this.#root}${path}/`));
      await seeker.seek(afterSubtree(collection));
    }
  }

  /** Counts the documents of the last added collection, if a bounded number of reads suffices. */
  async #count(prefix: Buffer): Promise<void> {
    const seeker = this.#seeker;
    const [before, last] = [seeker.fetches, this.entries.at(-1)];
    const documents = await countCollection(seeker, prefix, Math.min(countFetchesEach, this.#remainingCountFetches));
    this.#remainingCountFetches -= seeker.fetches - before;
    if (last && documents !== undefined) last.documents = documents;
  }

  async #self(): Promise<void> {
    const kind = await this.#seeker.kind();
    this.isErased = kind === recordKind.erased;
    if (kind === recordKind.document) {
      this.exists = true;
      await this.#add(await this.#document());
    }
    await this.#seeker.next();
  }

  /** Moves to the first record, or behind the last entry of the previous page; returns that entry's id. */
  async #begin(from: Buffer, prefix: Buffer): Promise<string | undefined> {
    const seeker = this.#seeker;
    const { after } = this.#options;
    if (after === undefined) {
      await seeker.seek(from);
      return undefined;
    }
    this.exists = true;
    const name = (await seeker.seekRank(after)) ? await seeker.name() : undefined;
    if (!name || !startsWith(name, prefix)) {
      // The document itself was the last entry.
      await seeker.next();
      return undefined;
    }
    const end = name.indexOf(slash, prefix.length);
    const own = end < 0 ? name : name.subarray(0, end);
    if (end < 0) await seeker.next();
    else await seeker.seek(afterSubtree(own));
    return own.toString('utf8', prefix.length);
  }

  async #document(): Promise<DocumentEntry> {
    const { leaf, slot } = await this.#seeker.record();
    return documentEntry(leaf.content(slot), this.#root.length, responseBytesMax);
  }

  /** False if the page is full; then the entry starts the next page. */
  async #add(entry: DocumentEntry): Promise<boolean> {
    const bytes = jsonBytes(entry);
    if (this.entries.length === this.#options.limit || (this.entries.length > 0 && this.#bytes + bytes > responseBytesMax)) {
      this.next = this.#last;
      return false;
    }
    this.entries.push(entry);
    this.#bytes += bytes;
    this.#last = await this.#seeker.rank();
    return true;
  }
}

/**
 * Counts the documents of the collection that the seeker is at, by their names; undefined if that takes more than `fetchesMax`
 * fetches. The manifest only has counts by collection id.
 */
const countCollection = async (seeker: Seeker, prefix: Buffer, fetchesMax: number): Promise<number | undefined> => {
  const fetchesBefore = seeker.fetches;
  let documents = 0;
  while (!seeker.isAtEnd) {
    // The first name of a segment is known without fetching it.
    if (!startsWith((await seeker.name()) ?? nothing, prefix)) return documents;
    if (seeker.fetches - fetchesBefore >= fetchesMax) return undefined;
    const { leaf, from, to } = await seeker.run();
    for (let slot = from; slot < to; slot++) {
      const name = leaf.name(slot);
      if (!startsWith(name, prefix)) return documents;
      if (leaf.kind(slot) === recordKind.document && !name.includes(slash, prefix.length)) documents += 1;
    }
    await seeker.pass(to - from);
  }
  return documents;
};

/** Whether a name is below a prefix, which ends with a slash. */
const startsWith = (name: Buffer, prefix: Buffer): boolean =>
  name.length > prefix.length && name.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

const slash = 0x2f;
const nothing = Buffer.alloc(0);

interface BrowsePath {
  readonly kind: 'root' | 'collection' | 'document';
  readonly path: string;
}

export const parseBrowsePath = (path: string): BrowsePath => {
  if (path === '') return { kind: 'root', path };
  if (isCollectionPath(path)) return { kind: 'collection', path };
  if (isDocumentPath(path)) return { kind: 'document', path };
  throw invalid('path', 'must be a collection or document path, such as users or users/ada');
};
