import { mapConcurrent } from '../../platform/index.ts';
import type { FirestoreDatabase } from '../firestore-database.ts';
import { compareTextNames } from '../names/name-order.ts';
import { below, intersection, isInRange, type NameRange, scopeOf, tile } from '../names/name-range.ts';
import { wholeMinute } from '../wire/timestamps.ts';
import { type Counted, countRange } from './count-documents.ts';
import { listCollections, probeSource, splitPoints } from './probe-source.ts';

interface PlanOptions {
  /** Collection paths, each with everything below it; all collections if omitted or with `*`. */
  readonly collections?: readonly string[] | undefined;
  readonly excludeCollections?: readonly string[] | undefined;
  /** Approximate number of documents per range. */
  readonly documentsPerRange?: number;
  /** Maximum number of ranges, unless the included and excluded collections alone need more. */
  readonly rangesMax?: number;
  /** The source keeps whole minutes for seven days, so a backup may take longer than an hour. */
  readonly pointInTimeRecovery?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A read plan: all calls of a backup use this read time and these ranges. */
export interface ReadPlan {
  readonly readTime: string;
  /** In name order. Each document in scope is in exactly one range, even one below a missing parent. */
  readonly ranges: readonly NameRange[];
  /** Documents of all ranges as counted by the source; undefined if it does not support counts. */
  readonly documents: number | undefined;
  /** Root collections that intersect the ranges. */
  readonly collections: readonly string[];
  /** Included or excluded collections that do not exist. */
  readonly unknown: readonly string[];
  /** Approximate billed reads of planning. */
  readonly reads: number;
}

/** At 170 to 2,900 documents per second a range takes one to a few minutes. */
export const usualDocumentsPerRange = 100_000;
const defaultRangesMax = 500;
/** Requests to the source at the same time. */
const concurrency = 4;

/** Chooses the read time and splits the scope into ranges that can be read in parallel. */
export const planRanges = async (source: FirestoreDatabase, options: PlanOptions = {}): Promise<ReadPlan> => {
  const { collections: include, excludeCollections: exclude = [], signal } = options;
  const scope = scopeOf(include, exclude);
  const probed = await probeSource(source, signal);
  const readTime = options.pointInTimeRecovery ? wholeMinute(probed.readTime) : probed.readTime;
  const roots = await listCollections(source, { parent: source.root, readTime, signal });
  const unknown = await findUnknown(source, { paths: [...(include ?? []), ...exclude], roots, readTime, signal });
  const rootsInScope = roots.filter((id) => intersection(scope, [below(id)]).length > 0).sort(compareTextNames);
  const counts = await mapConcurrent(scope, concurrency, (range) => tryCount(source, { range, readTime, signal }));
  const documents = sum(counts.map((one) => one.documents));
  const split = await splitScope(source, { ...options, scope, readTime, rootsInScope, documents });
  return {
    readTime,
    ranges: tile(scope, split.points),
    documents,
    collections: rootsInScope,
    unknown,
    reads: 2 + split.reads + counts.reduce((reads, one) => reads + one.reads, 0),
  };
};

interface SplitInput extends PlanOptions {
  readonly scope: readonly NameRange[];
  readonly readTime: string;
  readonly rootsInScope: readonly string[];
  readonly documents: number | undefined;
}

/** Split points: over all collections if the source supports it, otherwise per root collection. */
const splitScope = async (
  source: FirestoreDatabase,
  input: SplitInput,
): Promise<{ points: readonly string[]; reads: number }> => {
  const { documentsPerRange = usualDocumentsPerRange, rangesMax = defaultRangesMax, readTime, documents, signal } = input;
  const size = Math.max(documentsPerRange, Math.ceil((documents ?? 0) / rangesMax));
  const wanted = documents === undefined ? rangesMax : Math.ceil(documents / size);
  if (wanted <= 1) return { points: [], reads: 0 };
  const points = await splitPoints(source, { collectionId: undefined, points: wanted - 1, readTime, signal });
  if (points.length > 0) return { points: thinned(points, wanted - 1), reads: 1 };
  return byCollection(source, { input, size, wanted });
};

const byCollection = async (
  source: FirestoreDatabase,
  { input, size, wanted }: { readonly input: SplitInput; readonly size: number; readonly wanted: number },
) => {
  const { readTime, rootsInScope, documents, signal } = input;
  let reads = 0;
  const parts = await mapConcurrent(rootsInScope, concurrency, async (id) => {
    const range = below(id);
    const counted: Counted =
      documents === undefined ? { documents: undefined, reads: 0 } : await tryCount(source, { range, readTime, signal });
    const points = counted.documents === undefined ? wanted - 1 : Math.ceil(counted.documents / size) - 1;
    const split = points < 1 ? [] : await splitPoints(source, { collectionId: id, points, readTime, signal });
    reads += counted.reads + (points < 1 ? 0 : 1);
    // A collection group has members elsewhere.
    const inside = split.filter((name) => isInRange(name, range));
    return { range, documents: counted.documents, points: thinned(inside, points) };
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

/** At most `max` points, evenly distributed. */
const thinned = (points: readonly string[], max: number): readonly string[] => {
  if (points.length <= max) return points;
  const sorted = points.toSorted(compareTextNames);
  return Array.from({ length: Math.max(0, max) }, (_, n) => sorted[Math.floor(((n + 1) * sorted.length) / (max + 1))] ?? '');
};

/** A count that times out leaves the plan without a number; ranges are counted again when they are read. */
const tryCount = async (source: FirestoreDatabase, options: Parameters<typeof countRange>[1]): Promise<Counted> => {
  try {
    return await countRange(source, options);
  } catch (error) {
    if ((error as { isTransient?: boolean }).isTransient) return { documents: undefined, reads: 0 };
    throw error;
  }
};

interface UnknownSearch extends Pick<PlanOptions, 'signal'> {
  readonly paths: readonly string[];
  readonly roots: readonly string[];
  readonly readTime: string;
}

/** The paths of collections that do not exist; nested ones are looked up in their document. */
const findUnknown = async (
  source: FirestoreDatabase,
  { paths, roots, readTime, signal }: UnknownSearch,
): Promise<readonly string[]> => {
  const named = [...new Set(paths)].filter((path) => path !== '*');
  const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const parents = [...new Set(named.map(parentOf))].filter((parent) => parent !== '');
  const deeper = await mapConcurrent(parents, concurrency, async (parent) => {
    const ids = await listCollections(source, { parent: `${source.root}/${parent}`, readTime, signal });
    return ids.map((id) => `${parent}/${id}`);
  });
  const known = new Set([...roots, ...deeper.flat()]);
  return named.filter((path) => !known.has(path));
};

const sum = (counts: readonly (number | undefined)[]): number | undefined =>
  counts.reduce<number | undefined>((all, one) => (all === undefined || one === undefined ? undefined : all + one), 0);
