/** The gaps of a record. None is dropped while its time is restorable; if they are too many, they are merged. */
import { microsOf } from '../model/micro-time.ts';
import type { Gap } from '../model/record.ts';

/** A record has at most 400 KB. */
const gapsMax = 1_000;
const gapsMaxBytes = 100_000;
/** Collections that a gap names; an id may have 1,500 bytes. */
const idsMax = 100;
const idsMaxBytes = 50_000;

/** Sorted by start. Adjacent bridged gaps are joined. */
export const withGaps = (gaps: readonly Gap[], ...more: readonly Gap[]): readonly Gap[] =>
  bounded(joined(sorted([...gaps, ...more.map(widened)])));

/** A gap of too many collections becomes a gap of all. */
export const widened = (gap: Gap): Gap => {
  const { collections, ...all } = gap;
  if (!collections) return gap;
  const bytes = collections.reduce((sum, id) => sum + Buffer.byteLength(id), 0);
  return collections.length > idsMax || bytes > idsMaxBytes ? all : gap;
};

const sorted = (gaps: readonly Gap[]): readonly Gap[] =>
  gaps
    .map((gap) => ({ gap, from: microsOf(gap.from) }))
    .sort((one, other) => one.from - other.from)
    .map(({ gap }) => gap);
const endOf = ({ to }: Gap): number => (to === null ? Number.POSITIVE_INFINITY : microsOf(to));
const sizeOf = (gap: Gap): number => Buffer.byteLength(JSON.stringify(gap));

const joined = (gaps: readonly Gap[]): readonly Gap[] => {
  const kept: Gap[] = [];
  let bridged = -1;
  for (const gap of gaps) {
    const last = kept[bridged];
    if (gap.isBridged && last && endOf(last) >= microsOf(gap.from)) {
      kept[bridged] = endOf(gap) > endOf(last) ? { ...last, to: gap.to } : last;
      continue;
    }
    kept.push(gap);
    if (gap.isBridged) bridged = kept.length - 1;
  }
  return kept;
};

/** Merges the oldest gaps into one that covers them: closed gaps first, then open ones. */
const bounded = (gaps: readonly Gap[]): readonly Gap[] => {
  let bytes = gaps.reduce((sum, gap) => sum + sizeOf(gap), 0);
  let count = gaps.length;
  if (count <= gapsMax && bytes <= gapsMaxBytes) return gaps;
  const oldest: Gap[] = [];
  for (const gap of [...gaps.filter(({ to }) => to !== null), ...gaps.filter(({ to }) => to === null)]) {
    if (oldest.length > 1 && count < gapsMax && bytes <= gapsMaxBytes - mergedBytes) break;
    oldest.push(gap);
    bytes -= sizeOf(gap);
    count -= 1;
  }
  const replaced = new Set(oldest);
  return sorted([merged(oldest), ...gaps.filter((gap) => !replaced.has(gap))]);
};

/** Approximate size of the merged gap. */
const mergedBytes = 300;

/** Bridged only if all of them are. */
const merged = (gaps: readonly Gap[]): Gap => {
  const [first, ...rest] = sorted(gaps);
  const last = gaps.reduce((one, other) => (endOf(other) > endOf(one) ? other : one));
  const heard = gaps.flatMap(({ to, heardFrom }) => (to === null ? [heardFrom] : []));
  const heardFrom = heard.includes(undefined) ? undefined : heard.toSorted().at(-1);
  return {
    from: first?.from ?? last.from,
    to: last.to,
    reason: `${rest.length + 1} gaps shown as one`,
    ...(gaps.every(({ isBridged }) => isBridged) && { isBridged: true }),
    ...(heardFrom !== undefined && { heardFrom }),
  };
};
