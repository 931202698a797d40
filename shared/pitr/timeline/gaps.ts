/**
 * The gaps of a record. None is dropped while its time is restorable. If they are too many, they are merged: a merged gap lasts
 * longer, but never covers other collections than its parts.
 */
import { microsOf } from '../model/micro-time.ts';
import type { Gap } from '../model/record.ts';

/** A record has at most 400 KB. */
const gapsMax = 1_000;
const gapsMaxBytes = 100_000;
/** Ids that a gap keeps on the record when there is no room for more; its lists hold all. */
const fewIds = 3;
/** Ids that a merged gap keeps. */
const mergedIds = 10;

/** Sorted by start. Adjacent bridged gaps are joined. */
export const withGaps = (gaps: readonly Gap[], ...more: readonly Gap[]): readonly Gap[] =>
  bounded(joined(sorted([...gaps, ...more])));

/** The number of affected collections; null if they are all, or unknown. */
export const affectedCount = ({ collections, count }: Pick<Gap, 'collections' | 'count'>): number | null =>
  count ?? (collections && collections.length > 0 ? collections.length : null);

const sorted = (gaps: readonly Gap[]): readonly Gap[] =>
  gaps
    .map((gap) => ({ gap, from: microsOf(gap.from) }))
    .sort((one, other) => one.from - other.from)
    .map(({ gap }) => gap);
const endOf = ({ to }: Gap): number => (to === null ? Number.POSITIVE_INFINITY : microsOf(to));

/** Gaps never change, and are measured again with each further one. */
const sizes = new WeakMap<Gap, number>();
const sizeOf = (gap: Gap): number => {
  const size = sizes.get(gap) ?? Buffer.byteLength(JSON.stringify(gap));
  sizes.set(gap, size);
  return size;
};

const joined = (gaps: readonly Gap[]): readonly Gap[] => {
  const kept: Gap[] = [];
  let bridged = -1;
  for (const gap of gaps) {
    const last = kept[bridged];
    if (gap.isBridged && last && last.isQuiet === gap.isQuiet && endOf(last) >= microsOf(gap.from)) {
      kept[bridged] = endOf(gap) > endOf(last) ? { ...last, to: gap.to } : last;
      continue;
    }
    kept.push(gap);
    if (gap.isBridged) bridged = kept.length - 1;
  }
  return kept;
};

const isTooMany = (gaps: readonly Gap[]): boolean =>
  gaps.length > gapsMax || gaps.reduce((sum, gap) => sum + sizeOf(gap), 0) > gapsMaxBytes;

/** First leaves ids to the lists, then merges the oldest gaps of a kind: closed gaps first, then open ones. */
const bounded = (gaps: readonly Gap[]): readonly Gap[] => {
  if (!isTooMany(gaps)) return gaps;
  let rest = gaps.map((gap) => (gap.lists ? withIds(gap, fewIds) : gap));
  for (const isSafe of [isClosed, () => true])
    for (const kind of ['bridged', 'all', 'some', 'unknown'] as const)
      if (isTooMany(rest)) rest = mergeOldest(rest, (gap) => isSafe(gap) && kindOf(gap) === kind);
  return rest;
};

const isClosed = ({ to }: Gap): boolean => to !== null;

const kindOf = ({ collections, isBridged }: Gap): 'bridged' | 'all' | 'some' | 'unknown' =>
  collections ? (collections.length === 0 ? 'unknown' : 'some') : isBridged ? 'bridged' : 'all';

/** Merges as few as needed. */
const mergeOldest = (gaps: readonly Gap[], fits: (gap: Gap) => boolean): Gap[] => {
  let bytes = gaps.reduce((sum, gap) => sum + sizeOf(gap), 0);
  let count = gaps.length;
  const oldest: Gap[] = [];
  for (const gap of gaps.filter(fits)) {
    if (oldest.length > 1 && count < gapsMax && bytes <= gapsMaxBytes - mergedBytes) break;
    oldest.push(gap);
    bytes -= sizeOf(gap) - (gap.lists?.join().length ?? 0);
    count -= 1;
  }
  if (oldest.length < 2) return [...gaps];
  const replaced = new Set(oldest);
  return [...sorted([merged(oldest), ...gaps.filter((gap) => !replaced.has(gap))])];
};

/** Approximate size of a merged gap without its lists. */
const mergedBytes = 600;

const withIds = (gap: Gap, max: number): Gap => {
  const count = affectedCount(gap);
  return gap.collections && count !== null && gap.collections.length > max
    ? { ...gap, collections: gap.collections.slice(0, max), count }
    : gap;
};

/** All gaps are of one kind. */
const merged = (gaps: readonly Gap[]): Gap => {
  const [first, ...rest] = sorted(gaps);
  const last = gaps.reduce((one, other) => (endOf(other) > endOf(one) ? other : one));
  const heard = gaps.flatMap(({ to, heardFrom }) => (to === null ? [heardFrom] : []));
  const heardFrom = heard.includes(undefined) ? undefined : heard.toSorted().at(-1);
  const span = { from: first?.from ?? last.from, to: last.to, reason: `${rest.length + 1} gaps shown as one` };
  const lists = gaps.flatMap((gap) => gap.lists ?? []);
  // Ids that are in no list must stay on the record.
  const unlisted = gaps.flatMap((gap) => (gap.lists ? [] : (gap.collections ?? [])));
  const shown = gaps.flatMap(({ collections = [] }) => collections).slice(0, mergedIds);
  const collections = [...new Set([...unlisted, ...shown])];
  const listed = gaps.reduce((sum, gap) => sum + (gap.lists ? (affectedCount(gap) ?? 0) : 0), new Set(unlisted).size);
  return {
    ...span,
    ...(last.isBridged && { isBridged: true }),
    ...(gaps.some(({ isQuiet }) => isQuiet) && { isQuiet: true }),
    ...(last.collections && { collections }),
    ...(listed > collections.length && { count: listed }),
    ...(lists.length > 0 && { lists }),
    ...(gaps.some(({ isAtRoot }) => isAtRoot) && { isAtRoot: true }),
    ...(heardFrom !== undefined && { heardFrom }),
  };
};
