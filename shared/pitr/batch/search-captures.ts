import { type Leaf, type LedgerEntry, recordKind } from '../../archive/index.ts';
import { ErasureFilter } from '../../firestore/index.ts';
import { type Clock, log, type Tenant, walk } from '../../platform/index.ts';
import { type ArchiveDeps, FoundPaths, isLastingFailure } from '../../stored-backup/index.ts';
import { type BatchRecord, batchPrefix, pitrKey } from '../model/record.ts';
import { ChangeBatchReader } from './change-batch-reader.ts';

interface SearchCapturesOptions {
  /** Continues after this batch. */
  readonly after?: string | undefined;
  /** Ends at the first version that is found. */
  readonly isFirstEnough?: boolean;
  readonly until: Date;
  readonly clock: Clock;
  readonly deps: ArchiveDeps;
}

export interface CapturesSearch {
  /** Whether a version was found. */
  readonly isFound: boolean;
  /** Paths of the documents that the query matched. */
  readonly paths: readonly string[];
  /** Whether everything was read; what cannot be read may hold the documents. */
  readonly isComplete: boolean;
  /** The last batch that was read, if the time is up. */
  readonly after?: string;
}

/** Batches in memory; a window may have tens of thousands. */
const pageMax = 100;

/**
 * Searches the stored changes of point-in-time recovery for versions of erased documents. Reads at least one batch, so that a search
 * makes progress however little time there is. Rejects if a retry may help.
 */
export const searchCaptures = async (
  tenant: Tenant,
  {
    projectId,
    erasure,
    options: { after, isFirstEnough = false, until, clock, deps },
  }: { readonly projectId: string; readonly erasure: LedgerEntry; readonly options: SearchCapturesOptions },
): Promise<CapturesSearch> => {
  const { pk } = pitrKey.tokens(tenant, projectId);
  const range = { pk, prefix: batchPrefix, ...(after !== undefined && { after }) };
  const reader = new ChangeBatchReader(tenant, deps);
  const search = new ChangeSearch(erasure);
  const isEnough = (): boolean => isFirstEnough && search.result.isFound;
  let isComplete = true;
  let last: string | undefined;

  /** Up to the end of these batches, the time, or what is enough. False if a batch cannot be read. */
  const searchBatches = async (batches: readonly BatchRecord[]): Promise<boolean> => {
    let index = 0;
    try {
      for await (const { batch, leaf } of reader.read(batches)) {
        for (; batches[index] && batches[index]?.id !== batch.id; index++) last = batches[index]?.sk;
        if (isEnough() || isOver()) return true;
        search.visit(leaf);
      }
      last = batches.at(-1)?.sk ?? last;
      return true;
    } catch (error) {
      if (!isLastingFailure(error)) throw error;
      isComplete = false;
      log.warn('captured changes could not be searched for erased documents', error);
      return false;
    }
  };
  const isOver = (): boolean => last !== undefined && clock.now() >= until;

  try {
    for await (const page of pagesOf(walk<BatchRecord>(range))) {
      // After a failure they are read one by one, so that only what cannot be read is left out.
      if (!(await searchBatches(page)) && !isFirstEnough)
        for (const batch of page.filter(({ sk }) => last === undefined || sk > last)) {
          if (isOver()) break;
          if (!(await searchBatches([batch]))) last = batch.sk;
        }
      if (isEnough() || (isFirstEnough && !isComplete)) return { ...search.result, isComplete: false };
      if (isOver()) return { ...search.result, isComplete: false, ...(last !== undefined && { after: last }) };
    }
    return { ...search.result, isComplete };
  } finally {
    reader.close();
  }
};

async function* pagesOf<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[], void, undefined> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < pageMax) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

const documents = '/documents/';

class ChangeSearch {
  readonly #erasure: LedgerEntry;
  readonly #found: FoundPaths;
  /** The filters, by the database of the documents. */
  readonly #filters = new Map<string, ErasureFilter>();
  #isFound = false;

  constructor(erasure: LedgerEntry) {
    this.#erasure = erasure;
    this.#found = new FoundPaths(erasure);
  }

  get result(): Pick<CapturesSearch, 'isFound' | 'paths'> {
    return { isFound: this.#isFound, paths: this.#found.paths };
  }

  visit(leaf: Leaf): void {
    for (let slot = 0; slot < leaf.count; slot++) {
      if (leaf.kind(slot) !== recordKind.document) continue;
      const name = leaf.name(slot);
      const rootEnd = name.indexOf(documents) + documents.length;
      const path = name.subarray(rootEnd);
      if (!this.#filterOf(name.toString('utf8', 0, rootEnd)).hidesDocument(path, leaf.body(slot), leaf.created(slot))) continue;
      this.#isFound = true;
      this.#found.add(path);
    }
  }

  #filterOf(root: string): ErasureFilter {
    const filter = this.#filters.get(root) ?? new ErasureFilter([this.#erasure], root);
    this.#filters.set(root, filter);
    return filter;
  }
}
