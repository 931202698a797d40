/** What a search will read, how long it takes and what it costs; from the manifest and one page of the index. */
import { type Archive, boundedSegments, compareNames, type EncodedNameRange, type NamedPage } from '../../archive/index.ts';
import { usdPerComputeGigabyteSecond, usdPerStorageRead } from '../../contract/list-prices.ts';
import type { LeafSkipper } from './leaf-skipper.ts';
import type { SearchQuery } from './parse-query.ts';

export interface SearchPlan {
  readonly documents: number;
  readonly bytes: number;
  readonly parts: number;
  readonly seconds: number;
  readonly estimatedUsd: number;
  /** What would be read without filters. */
  readonly total: number;
  /** Whether filters in the backup say which leaves need not be read. */
  readonly indexed: boolean;
}

/**
 * Of one function, which has 0.58 of a core, with conditions and with names alone. A core does 78,000 to 108,000 documents of 1 KB a second,
 * or 420,000 to 570,000 names.
 */
const documentsPerSecond = { values: 50_000, id: 250_000 } as const;
/** What filters are looked at for, in one function. */
const filteredPerSecond = 2_000_000;
/** The filters of that many leaves are read at once. */
const leavesPerFilterRead = 256;
const documentsPerLeaf = 2_000;
const documentsPerPart = 500_000;
const partsMax = 16;
/** What the function has. */
const gigabytes = 1;

interface PlanOptions {
  readonly query: SearchQuery;
  readonly range: EncodedNameRange;
  readonly skipper: LeafSkipper;
  /** Ends the look at the filters. */
  readonly isOver: () => boolean;
}

export const planSearch = async (archive: Archive, { query, range, skipper, isOver }: PlanOptions): Promise<SearchPlan> => {
  const pages = pagesIn(archive, range);
  const all = pages.reduce((sum, { records }) => sum + records, 0);
  if (query.kind === 'path') return { documents: 1, bytes: 0, parts: 1, seconds: 1, estimatedUsd: 0, total: all, indexed: false };
  const chosen = skipper.isApplicable ? await chosenIn(archive, { pages, range, kind: query.kind, skipper, isOver }) : undefined;
  const indexed = chosen !== undefined && chosen.looked > 0 && skipper.isIndexed;
  const { documents, bytes } = indexed
    ? scaled(chosen, all)
    : { documents: all, bytes: await bytesIn(archive, pages, query.kind) };
  const filtered = !indexed ? 0 : chosen.isWhole ? chosen.looked : all;
  const work = documents / documentsPerSecond[query.kind] + filtered / filteredPerSecond;
  const seconds = Math.ceil(work);
  const reads = documents / documentsPerLeaf + filtered / documentsPerLeaf / leavesPerFilterRead;
  const usd = reads * usdPerStorageRead + seconds * gigabytes * usdPerComputeGigabyteSecond;
  const parts = Math.min(partsMax, Math.max(1, Math.ceil((work * documentsPerSecond[query.kind]) / documentsPerPart)));
  return { documents, bytes, parts, seconds, estimatedUsd: Math.ceil(usd * 1e6) / 1e6, total: all, indexed };
};

/** Of more pages the filters are looked at when the search is made. */
const sampledPagesMax = 8;

interface Chosen {
  /** How many records were looked at, and how many of them are to be read. */
  readonly looked: number;
  readonly documents: number;
  readonly bytes: number;
  /** Whether these are all that the search may read. */
  readonly isWhole: boolean;
}

const scaled = ({ looked, documents, bytes, isWhole }: Chosen, all: number): Pick<Chosen, 'documents' | 'bytes'> => {
  const times = isWhole ? 1 : all / Math.max(1, looked);
  return { documents: Math.min(all, Math.round(documents * times)), bytes: Math.round(bytes * times) };
};

/** What is left to be read, by the filters: all of them, or those of some pages, spread evenly. */
const chosenIn = async (
  archive: Archive,
  {
    pages,
    range,
    kind,
    skipper,
    isOver,
  }: {
    readonly pages: readonly NamedPage[];
    readonly range: EncodedNameRange;
    readonly kind: 'id' | 'values';
    readonly skipper: LeafSkipper;
    readonly isOver: () => boolean;
  },
): Promise<Chosen> => {
  const sampled = Math.min(pages.length, sampledPagesMax);
  let [looked, documents, bytes] = [0, 0, 0];
  for (let n = 0; n < sampled; n++) {
    const at = Math.floor((n * pages.length) / sampled);
    const [page, next] = [pages[at], pages[at + 1]];
    if (!page) continue;
    for await (const { segment, next: end } of boundedSegments(archive, [withinPage(range, page, next)])) {
      if (isOver()) return { looked, documents, bytes: bytes + skipper.bytesRead, isWhole: false };
      looked += segment.count;
      if (await skipper.canSkip(segment, end)) continue;
      documents += segment.count;
      bytes += segment.keysLength + (kind === 'values' ? segment.bodiesLength : 0);
    }
  }
  return { looked, documents, bytes: bytes + skipper.bytesRead, isWhole: sampled === pages.length };
};

const withinPage = ({ from, to }: EncodedNameRange, { name }: NamedPage, next: NamedPage | undefined): EncodedNameRange => ({
  from: from && compareNames(from, name) > 0 ? from : name,
  to: to && next && compareNames(next.name, to) > 0 ? to : (next?.name ?? to),
});

const bytesIn = async (archive: Archive, pages: readonly NamedPage[], kind: 'id' | 'values'): Promise<number> => {
  const [first] = pages;
  const documents = pages.reduce((sum, { records }) => sum + records, 0);
  return first ? Math.round((documents * (await bytesOf(archive, first, kind))) / first.records) : 0;
};

/** The pages of the index that have names of the range: a little more than the range itself. */
const pagesIn = ({ pages }: Archive, { from, to }: EncodedNameRange): readonly NamedPage[] =>
  pages.filter(({ name }, n) => {
    const next = pages[n + 1]?.name;
    return !(to && compareNames(name, to) >= 0) && !(from && next && compareNames(next, from) <= 0);
  });

/** What is read for the records of a page. */
const bytesOf = async (archive: Archive, page: NamedPage, kind: 'id' | 'values'): Promise<number> =>
  (await archive.segmentsOf(page)).reduce(
    (sum, { keysLength, bodiesLength, count, records }) =>
      sum + ((keysLength + (kind === 'values' ? bodiesLength : 0)) * count) / records,
    0,
  );
