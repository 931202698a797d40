/** Searches captured changes backwards from now, within the bounds of one API request. */
import { type Leaf, recordKind } from '../../archive/index.ts';
import { type Clock, query, type Tenant } from '../../platform/index.ts';
import { type ArchiveDeps, toReadError } from '../../stored-backup/index.ts';
import { microsOf } from '../model/micro-time.ts';
import { type BatchRecord, batchPrefix, type PitrRecord, pitrKey } from '../model/record.ts';
import { ChangeBatchReader, changeTimeOf } from './change-batch-reader.ts';

/** A version of a document, or its deletion. */
export interface CapturedVersion {
  readonly path: string;
  /** When it was written or deleted, in microseconds. */
  readonly at: number;
  readonly isDeleted: boolean;
  /** The encoded document. Valid after the search, too. */
  readonly content: () => Buffer;
  /** Of the batch that has it. Within one that is not proven only the ends are known. */
  readonly batch: { readonly from: number; readonly isProven: boolean };
}

interface SearchOptions {
  /** Batches without changes of this collection are not read. */
  readonly collectionId?: string | undefined;
  /** Batches come newest first; the changes of one in any order. */
  readonly visit: (version: CapturedVersion) => void;
  /** Ends the search before the bounds do. */
  readonly isEnough: () => boolean;
  readonly until: Date;
  readonly clock: Clock;
  readonly deps: ArchiveDeps;
}

interface SearchedCaptures {
  /** All changes after this moment were searched; null if nothing was. */
  readonly searchedFrom: string | null;
  /** Whether all captured changes were searched. */
  readonly isComplete: boolean;
}

/** Objects and bytes read, and records of batches listed, in one request. */
const batchesMax = 60;
const bytesMax = 24 << 20;
const recordsMax = 3_000;
const readAtOnce = 8;
const pageItems = 500;

export const searchNewest = async (tenant: Tenant, pitr: PitrRecord, options: SearchOptions): Promise<SearchedCaptures> => {
  const { pk } = pitrKey.tokens(tenant, pitr.projectId);
  const search = new NewestSearch(tenant, options);
  try {
    let after: string | undefined;
    for (let records = 0; records < recordsMax && !search.isOver; ) {
      const page = await query<BatchRecord>({ pk, prefix: batchPrefix, newestFirst: true, after, limit: pageItems });
      const isWhole = await search.read(page.items);
      if (page.next === undefined) return { searchedFrom: search.searchedFrom, isComplete: isWhole };
      records += page.items.length;
      after = page.next;
    }
    return { searchedFrom: search.searchedFrom, isComplete: false };
  } catch (error) {
    throw toReadError(error);
  } finally {
    search.close();
  }
};

class NewestSearch {
  searchedFrom: string | null = null;
  readonly #options: SearchOptions;
  readonly #reader: ChangeBatchReader;
  #batches = 0;
  #bytes = 0;

  constructor(tenant: Tenant, options: SearchOptions) {
    this.#options = options;
    this.#reader = new ChangeBatchReader(tenant, options.deps);
  }

  get isOver(): boolean {
    const { isEnough, clock, until } = this.#options;
    return this.#batches >= batchesMax || this.#bytes >= bytesMax || isEnough() || clock.now() >= until;
  }

  /** False if the search ended before the last of them. */
  async read(batches: readonly BatchRecord[]): Promise<boolean> {
    for (let at = 0; at < batches.length; at += readAtOnce) {
      if (this.isOver) return false;
      const some = batches.slice(at, at + readAtOnce);
      const wanted = some.filter((batch) => this.#hasCollection(batch));
      const byId = new Map(wanted.map((batch) => [batch.id, batch]));
      for await (const { batch, leaf } of this.#reader.read(wanted)) {
        const own = byId.get(batch.id);
        if (own) this.#visit(own, leaf);
      }
      this.#batches += wanted.length;
      this.#bytes += wanted.reduce((sum, { chunk }) => sum + chunk.size, 0);
      this.searchedFrom = some.at(-1)?.from ?? this.searchedFrom;
    }
    return true;
  }

  close(): void {
    this.#reader.close();
  }

  #hasCollection({ collections }: BatchRecord): boolean {
    const { collectionId } = this.#options;
    return collectionId === undefined || (JSON.parse(collections) as string[]).includes(collectionId);
  }

  #visit(own: BatchRecord, leaf: Leaf): void {
    const { from, isProven } = own;
    const batch = { from: microsOf(from), isProven };
    for (let slot = 0; slot < leaf.count; slot++) {
      const name = leaf.name(slot);
      this.#options.visit({
        path: name.toString('utf8', name.indexOf(documents) + documents.length),
        at: changeTimeOf({ batch: own, leaf }, slot),
        isDeleted: leaf.kind(slot) !== recordKind.document,
        content: () => leaf.content(slot),
        batch,
      });
    }
  }
}

const documents = '/documents/';
