/** Looking into a backup: the collections of a place, the documents of a collection, one document. */
import type * as z from 'zod';
import { type Archive, afterSubtree, recordKind, Seeker } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import type { BackupEntry } from '../../contract/models/backup.ts';
import { collectionRange, restDocument } from '../../firestore/index.ts';
import type { BrowsePath } from './browse-path.ts';
import { countDocuments, slash, startsWith } from './count-collection.ts';

export type Entry = z.input<typeof BackupEntry>;

export interface BrowseOptions {
  readonly limit: number;
  /** The number of the record at which the last entry of the page before was found. */
  readonly after: number | undefined;
  /** Whether documents are listed that do not exist but have something below them. */
  readonly showMissing: boolean;
}

export interface Listing {
  readonly entries: readonly Entry[];
  readonly next: number | undefined;
}

/** An answer of a function has 6 MB; what is around the entries is small. */
const answerBytesMax = 5_500_000;

/** Leaves looked at to count the documents of one collection, some 2,000 documents each, and of all in one answer. */
const countFetchesEach = 16;
const countFetchesMax = 64;

/** One page of what is there, in the order of names. Throws NOT_FOUND if nothing is. */
export const browse = async (archive: Archive, { kind, path }: BrowsePath, options: BrowseOptions): Promise<Listing> => {
  const walk = new Walk(archive, path, options);
  if (kind === 'collection') await walk.documents();
  else await walk.collections(kind === 'document');
  if (!walk.isSomething && kind !== 'root') throw new ApiError('NOT_FOUND', `There is nothing at this path in the backup`);
  return { entries: walk.entries, next: walk.next };
};

class Walk {
  readonly entries: Entry[] = [];
  /** Where to go on after the entries, if there are more. */
  next: number | undefined;
  isSomething = false;
  readonly #seeker: Seeker;
  readonly #root: string;
  readonly #path: string;
  readonly #options: BrowseOptions;
  #bytes = 0;
  #last = 0;
  #countFetchesLeft = countFetchesMax;

  constructor(archive: Archive, path: string, options: BrowseOptions) {
    this.#seeker = new Seeker(archive);
    this.#root = `${archive.manifest.source}/documents/`;
    this.#path = path;
    this.#options = options;
  }

  /** The documents right in the collection; what lies below them is passed over. */
  async documents(): Promise<void> {
    const seeker = this.#seeker;
    const prefix = Buffer.from(`${this.#root}${this.#path}/`);
    seeker.part = 'all';
    let listed = await this.#begin(Buffer.from(this.#root + collectionRange(this.#path).from), prefix);
    for (let name = await seeker.name(); name && startsWith(name, prefix); name = await seeker.name()) {
      if ((await seeker.kind()) !== recordKind.document) {
        await seeker.next();
        continue;
      }
      this.isSomething = true;
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

  /** The collections right below the root or a document; of a document first the document itself, if it exists. */
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
      this.isSomething = true;
      const collection = name.subarray(0, name.indexOf(slash, prefix.length));
      const id = collection.toString('utf8', prefix.length);
      const path = isDocument ? `${this.#path}/${id}` : id;
      if (!(await this.#add({ type: 'collection', path, id }))) return;
      await this.#count(Buffer.from(`${this.#root}${path}/`));
      await seeker.seek(afterSubtree(collection));
    }
  }

  /** Says how many documents are in the collection that was just added, if that can be told by a bounded look. */
  async #count(prefix: Buffer): Promise<void> {
    const seeker = this.#seeker;
    const [before, last] = [seeker.fetches, this.entries.at(-1)];
    const documents = await countDocuments(seeker, prefix, Math.min(countFetchesEach, this.#countFetchesLeft));
    this.#countFetchesLeft -= seeker.fetches - before;
    if (last && documents !== undefined) last.documents = documents;
  }

  async #self(): Promise<void> {
    if ((await this.#seeker.kind()) === recordKind.document) {
      this.isSomething = true;
      await this.#add(await this.#document());
    }
    await this.#seeker.next();
  }

  /** To the first record of the place, or beyond the entry at which the page before ended; answers that entry's id. */
  async #begin(from: Buffer, prefix: Buffer): Promise<string | undefined> {
    const seeker = this.#seeker;
    const { after } = this.#options;
    if (after === undefined) {
      await seeker.seek(from);
      return undefined;
    }
    this.isSomething = true;
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

  async #document(): Promise<Entry> {
    const { leaf, slot } = await this.#seeker.record();
    const { name, fields, createTime, updateTime } = restDocument(leaf.content(slot));
    const path = name.slice(this.#root.length);
    const entry = {
      type: 'document',
      path,
      id: path.slice(path.lastIndexOf('/') + 1),
      name,
      fields,
      createTime,
      updateTime,
    } as const;
    if (bytesOf(entry) <= answerBytesMax) return entry;
    const { fields: _, ...rest } = entry;
    return { ...rest, fieldsTooLarge: true };
  }

  /** False if the page is full: then the entry is the next page's first. */
  async #add(entry: Entry): Promise<boolean> {
    const bytes = bytesOf(entry);
    if (this.entries.length === this.#options.limit || (this.entries.length > 0 && this.#bytes + bytes > answerBytesMax)) {
      this.next = this.#last;
      return false;
    }
    this.entries.push(entry);
    this.#bytes += bytes;
    this.#last = await this.#seeker.rank();
    return true;
  }
}

const bytesOf = (entry: Entry): number => Buffer.byteLength(JSON.stringify(entry));
