/** Which ranges of names were last read and compared when. The slices cover all names, in order. */
import { compareTextNames } from '../../firestore/index.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';

/** The names from the end of the slice before up to its own end, exclusive. */
export interface AuditedSlice {
  /** Undefined for the last one. */
  readonly to: string | undefined;
  /** When it was read, in microseconds; zero if it never was. */
  readonly at: number;
}

/** A range that was read; an omitted end is open. */
interface AuditedRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly at: number;
}

export const unaudited: readonly AuditedSlice[] = [{ to: undefined, at: 0 }];

/** Neighbours that were read within this time become one slice, dated by the older. */
const mergeMicros = 6 * 3_600 * 1_000_000;
/** A name may have 6 KB, an item 400 KB. */
const slicesMaxBytes = 200_000;

/** The slices after a range was read: within it nothing is older than that. */
export const withAudited = (slices: readonly AuditedSlice[], range: AuditedRange, maxBytes = slicesMaxBytes) => {
  const { from, to, at } = range;
  const before = slices.filter((slice) => isEndUpTo(slice.to, from));
  const cut = slices.find((slice) => !isEndUpTo(slice.to, from));
  const rest = to === undefined ? [] : slices.filter((slice) => slice.to === undefined || compareTextNames(to, slice.to) < 0);
  const left = from === undefined || before.at(-1)?.to === from || !cut ? [] : [{ to: from, at: cut.at }];
  return merged([...before, ...left, { to, at }, ...rest], maxBytes);
};

/** When the name right after the start of a range was last read, in microseconds. */
export const auditedAt = (slices: readonly AuditedSlice[], from: string | undefined): number =>
  slices.find((slice) => !isEndUpTo(slice.to, from))?.at ?? 0;

/** When the oldest part of a range was last read. */
export const oldestWithin = (slices: readonly AuditedSlice[], { from, to }: Omit<AuditedRange, 'at'>): number => {
  const first = slices.findIndex((slice) => !isEndUpTo(slice.to, from));
  const last = slices.findIndex((slice) => slice.to === undefined || (to !== undefined && compareTextNames(to, slice.to) <= 0));
  return Math.min(...slices.slice(first, last + 1).map(({ at }) => at));
};

/**
 * When, up to a moment, the oldest document was last read. A base tells since when its own documents are audited; what was read after the
 * moment says nothing about it.
 */
export const auditedSince = (slices: readonly AuditedSlice[], base: string, moment: string): string => {
  const [first, last] = [microsOf(base), microsOf(moment)];
  const oldest = Math.min(...slices.map(({ at }) => (at <= last ? at : first)));
  return oldest > first ? momentOf(oldest) : base;
};

export const encodeSlices = (slices: readonly AuditedSlice[]): string =>
  JSON.stringify(slices.map(({ to, at }) => [to ?? null, at]));

export const decodeSlices = (text: string): readonly AuditedSlice[] =>
  (JSON.parse(text) as readonly (readonly [string | null, number])[]).map(([to, at]) => ({ to: to ?? undefined, at }));

/** Whether an end is not beyond a start. */
const isEndUpTo = (to: string | undefined, from: string | undefined): boolean =>
  to !== undefined && from !== undefined && compareTextNames(to, from) <= 0;

/** Coarser where it is too much: the neighbours that were read closest to each other become one. */
const merged = (slices: readonly AuditedSlice[], maxBytes: number): readonly AuditedSlice[] => {
  const kept: AuditedSlice[] = [];
  for (const slice of slices) {
    const last = kept.at(-1);
    if (last && Math.abs(last.at - slice.at) <= mergeMicros) kept[kept.length - 1] = joined(last, slice);
    else kept.push(slice);
  }
  while (kept.length > 1 && Buffer.byteLength(encodeSlices(kept)) > maxBytes) {
    const distances = kept.slice(1).map(({ at }, n) => Math.abs(at - (kept[n]?.at ?? 0)));
    const closest = distances.indexOf(Math.min(...distances));
    const [one, other] = kept.slice(closest, closest + 2);
    if (one && other) kept.splice(closest, 2, joined(one, other));
  }
  return kept;
};

const joined = (one: AuditedSlice, next: AuditedSlice): AuditedSlice => ({ to: next.to, at: Math.min(one.at, next.at) });
