import { mapConcurrent } from '../../platform/index.ts';
import type { FirestoreDatabase } from '../firestore-database.ts';
import { compareNames } from '../names/name-order.ts';
import { below, isInRange, type NameRange, scopeOf, tile } from '../names/name-range.ts';
import { wholeMinute } from '../wire/timestamps.ts';
import { type Counted, countRange } from './count-documents.ts';
import { listCollections, probeSource, splitPoints } from './probe-source.ts';

export interface PlanOptions {
  /** Paths of collections, each with all below it; all of them when left out or with `*`. */
  readonly collections?: readonly string[] | undefined;
  readonly excludeCollections?: readonly string[] | undefined;
  /** How many documents a range should have, about. */
  readonly documentsPerRange?: number;
  /** No more ranges than this, unless the lists of collections alone make more. */
  readonly rangesMax?: number;
  /** The source keeps whole minutes for seven days: a backup may take longer than an hour. */
  readonly pointInTimeRecovery?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What to read, decided once: every call of a backup reads at this time and in these ranges. */
export interface Plan {
  readonly readTime: string;
  /** In name order. Each document that is wanted lies in exactly one; also one below a parent that does not exist. */
  readonly ranges: readonly NameRange[];
  /** Of all ranges, counted by the source; undefined if it does not count. */
  readonly documents: number | undefined;
  /** The root collections that the ranges reach into. */
  readonly collections: readonly string[];
  /** Collections that were named, to be read or left out, and do not exist. */
  readonly unknown: readonly string[];
  /** What planning was billed as, about. */
  readonly reads: number;
}

/** At real rates of 170 to 2,900 documents per second a range of this size takes a minute or a few. */
export const usualDocumentsPerRange = 100_000;
const usualRangesMax = 500;
/** Requests to the source at the same time. */
const concurrency = 4;

/** Chooses the read time and cuts what is to be read into ranges that can be read side by side. */
export const planRanges = async (source: FirestoreDatabase, options: PlanOptions = {}): Promise<Plan> => {
  const { collections: include, excludeCollections: exclude = [], signal } = options;
  const scope = scopeOf(include, exclude);
  const probed = await probeSource(source, signal);
  const readTime = options.pointInTimeRecovery ? wholeMinute(probed.readTime) : probed.readTime;
  const roots = await listCollections(source, source.root, readTime, signal);
  const unknown = await missing(source, [...(include ?? []), ...exclude], roots, readTime, signal);
  const reached = roots.filter((id) => reaches(scope, id)).sort(compareNames);
  const counts = await mapConcurrent(scope, concurrency, (range) => countOrPass(source, { range, readTime, signal }));
  const documents = sum(counts.map((one) => one.documents));
  const divided = await divide(source, { ...options, scope, readTime, reached, documents });
  return {
    readTime,
    ranges: tile(scope, divided.points),
    documents,
    collections: reached,
    unknown,
    reads: 2 + divided.reads + counts.reduce((reads, one) => reads + one.reads, 0),
  };
};

interface Division extends PlanOptions {
  readonly scope: readonly NameRange[];
  readonly readTime: string;
  readonly reached: readonly string[];
  readonly documents: number | undefined;
}

/** Where to cut: by the size of everything if the source can split that, else of each root collection. */
const divide = async (source: FirestoreDatabase, division: Division): Promise<{ points: readonly string[]; reads: number }> => {
  const { documentsPerRange = usualDocumentsPerRange, rangesMax = usualRangesMax, readTime, documents, signal } = division;
  const size = Math.max(documentsPerRange, Math.ceil((documents ?? 0) / rangesMax));
  const wanted = documents === undefined ? rangesMax : Math.ceil(documents / size);
  if (wanted <= 1) return { points: [], reads: 0 };
  const points = await splitPoints(source, { collectionId: undefined, points: wanted - 1, readTime, signal });
  if (points.length > 0) return { points: thinned(points, wanted - 1), reads: 1 };
  return byCollection(source, division, size, wanted);
};

const byCollection = async (source: FirestoreDatabase, division: Division, size: number, wanted: number) => {
  const { readTime, reached, documents, signal } = division;
  let reads = 0;
  const parts = await mapConcurrent(reached, concurrency, async (id) => {
    const range = below(id);
    const counted: Counted =
      documents === undefined ? { documents: undefined, reads: 0 } : await countOrPass(source, { range, readTime, signal });
    const points = counted.documents === undefined ? wanted - 1 : Math.ceil(counted.documents / size) - 1;
    const split = points < 1 ? [] : await splitPoints(source, { collectionId: id, points, readTime, signal });
    reads += counted.reads + (points < 1 ? 0 : 1);
    // A group has members elsewhere, too.
    return {
      id,
      range,
      documents: counted.documents,
      points: thinned(
        split.filter((name) => isInRange(name, range)),
        points,
      ),
    };
  });
  const points: string[] = [];
  let open = 0;
  for (const part of parts) {
    // Small collections share a range until it is full.
    if (open > 0 && open + (part.documents ?? size) > size) {
      points.push(part.range.from);
      open = 0;
    }
    points.push(...part.points);
    open = (part.points.length > 0 ? 0 : open) + Math.max(1, (part.documents ?? size) / (part.points.length + 1));
  }
  return { points: thinned(points, wanted - 1 + parts.length), reads };
};

/** At most so many, evenly over all. */
const thinned = (points: readonly string[], most: number): readonly string[] => {
  if (points.length <= most) return points;
  const sorted = points.toSorted(compareNames);
  return Array.from({ length: Math.max(0, most) }, (_, n) => sorted[Math.floor(((n + 1) * sorted.length) / (most + 1))] ?? '');
};

/** A count that takes too long leaves the plan without a number; the ranges are counted anyway when they are read. */
const countOrPass = async (source: FirestoreDatabase, options: Parameters<typeof countRange>[1]): Promise<Counted> => {
  try {
    return await countRange(source, options);
  } catch (error) {
    if ((error as { isTransient?: boolean }).isTransient) return { documents: undefined, reads: 0 };
    throw error;
  }
};

/** The paths that name no collection; those below a document are asked for there. */
const missing = async (
  source: FirestoreDatabase,
  paths: readonly string[],
  roots: readonly string[],
  readTime: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> => {
  const named = [...new Set(paths)].filter((path) => path !== '*');
  const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const parents = [...new Set(named.map(parentOf))].filter((parent) => parent !== '');
  const deeper = await mapConcurrent(parents, concurrency, async (parent) => {
    const ids = await listCollections(source, `${source.root}/${parent}`, readTime, signal);
    return ids.map((id) => `${parent}/${id}`);
  });
  const known = new Set([...roots, ...deeper.flat()]);
  return named.filter((path) => !known.has(path));
};

const reaches = (scope: readonly NameRange[], id: string): boolean => {
  const { from, to } = below(id);
  return scope.some(
    (range) =>
      (range.to === undefined || compareNames(from, range.to) < 0) &&
      (range.from === undefined || compareNames(range.from, to) < 0),
  );
};

const sum = (counts: readonly (number | undefined)[]): number | undefined =>
  counts.reduce<number | undefined>((all, one) => (all === undefined || one === undefined ? undefined : all + one), 0);
