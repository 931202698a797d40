/** The restorable windows, computed from the record alone and never optimistic. */
import type * as z from 'zod/mini';
import type { PitrWindows } from '../../contract/models/pitr.ts';
import { ceilSecond, floorSecond, microsOf, shownMoment } from '../model/micro-time.ts';
import type { Base, Gap, PitrRecord, Sampled, Unchecked } from '../model/record.ts';
import { shownDivergence, touches } from './diverged-periods.ts';
import { affectedCount } from './gaps.ts';
import { uncheckedOf } from './unchecked-periods.ts';

const dayMicros = 24 * 3_600 * 1_000_000;
/** Names in one response: the windows of the last weeks may be hundreds. The newest get them. */
const namesMax = 5_000;

type Shown = z.input<typeof PitrWindows>;

/** Nothing before this is offered, although it may still exist: captures in use by a restore are thus not deleted meanwhile. */
const horizonOf = ({ retentionDays, keptFrom }: Pick<PitrRecord, 'retentionDays' | 'keptFrom'>, now: Date): number =>
  Math.max(now.getTime() * 1_000 - retentionDays * dayMicros, keptFrom === null ? 0 : microsOf(keptFrom));

/** A question for one collection. Its gaps must have all their collection ids. */
interface OneCollection {
  readonly id: string;
  /** Whether it is captured. Of another one it is known only that it did not exist where all collections were counted. */
  readonly isKnown: boolean;
}

/**
 * Ranges of whole seconds, split at gaps of all collections, and the gaps. A window that is not complete names the first of its
 * complete collections: others have a gap, it was not counted whether there are others, or it was not captured continuously.
 */
export const windowsOf = (
  record: PitrRecord,
  now: Date,
  one?: OneCollection,
): Pick<Shown, 'windows' | 'gaps' | 'sampled' | 'diverged'> => {
  const horizon = horizonOf(record, now);
  const { known = [], knownCount = known.length } = record;
  const gaps = record.gaps.filter((gap) => (gap.to === null || microsOf(gap.to) > horizon) && (!one || isGapOf(gap, one)));
  const pieces = stretchesOf(record)
    .flatMap((stretch) => (one?.isKnown ? [stretch] : piecesOf(stretch, uncheckedOf(record))))
    .flatMap((piece) => partsOf(piece, lossesOf(gaps), { collections: known, count: knownCount }))
    .flatMap((piece) => withoutSampled(piece, record.sampled ?? []))
    .filter(({ known: rest }) => !one || !rest);
  return {
    windows: withFewNames(pieces.flatMap((piece) => windowOf(piece, horizon))),
    gaps: withFewNames(gaps.filter(({ isBridged }) => !isBridged).map(shownGap)),
    sampled: (record.sampled ?? []).flatMap(({ from, to }) =>
      microsOf(to) > horizon
        ? [{ from: shownMoment(microsOf(from)), to: shownMoment(Math.ceil(microsOf(to) / 1_000) * 1_000) }]
        : [],
    ),
    diverged: (record.diverged ?? [])
      .filter((period) => microsOf(period.to) > horizon && (!one || touches(period, [one.id])))
      .map(shownDivergence),
  };
};

const isGapOf = ({ collections }: Gap, { id, isKnown }: OneCollection): boolean =>
  collections === undefined || (collections.length === 0 ? !isKnown : collections.includes(id));

const withFewNames = <T extends { collections?: string[] | undefined }>(shown: readonly T[]): T[] => {
  let names = 0;
  return shown
    .toReversed()
    .map((one) => {
      names += one.collections?.length ?? 0;
      return one.collections && names > namesMax ? { ...one, collections: [] } : one;
    })
    .toReversed();
};

/** The usable bases: a damaged one is skipped as long as batches reach back to the one before. */
const basesOf = ({ bases, keptFrom }: Pick<PitrRecord, 'bases' | 'keptFrom'>): readonly Base[] => {
  if (!bases.some(({ isDamaged }) => isDamaged)) return bases;
  const first = keptFrom === null ? 0 : microsOf(keptFrom);
  return bases.filter(({ isDamaged, readTime }) => !isDamaged && microsOf(readTime) >= first);
};

interface KnownCollections {
  readonly collections: readonly string[];
  readonly count: number;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Set if only some collections are known to be complete: the first of them, and how many they are. */
  readonly known?: KnownCollections;
  /** Not every second is known: a restore uses the last known moment. */
  readonly isInterval?: true;
}

/** Splits a stretch into checked and unchecked parts. */
const piecesOf = (stretch: Stretch, unchecked: readonly Unchecked[]): readonly Stretch[] => {
  const { from, to } = stretch;
  const pieces: Stretch[] = [];
  let at = from;
  for (const one of unchecked) {
    const [first, last] = [microsOf(one.from) + 1, Math.min(microsOf(one.to), to)];
    if (last < at || first > to) continue;
    const { collections, count = collections.length } = one;
    const rest = { ...stretch, from: Math.max(at, first), to: last, known: { collections, count } };
    pieces.push({ ...stretch, from: at, to: first - 1 }, rest);
    at = last + 1;
  }
  return [...pieces, { ...stretch, from: at }];
};

/** Splits a piece at periods that are not proven: no collection is known to be complete there. */
const withoutSampled = (piece: Stretch, sampled: readonly Sampled[]): readonly Stretch[] => {
  const pieces: Stretch[] = [];
  let at = piece.from;
  for (const one of sampled) {
    const [first, last] = [microsOf(one.from) + 1, Math.min(microsOf(one.to) - 1, piece.to)];
    if (last < at || first > piece.to) continue;
    const unproven = { ...piece, from: Math.max(at, first), to: last, known: { collections: [], count: 0 } };
    pieces.push({ ...piece, from: at, to: first - 1 }, unproven);
    at = last + 1;
  }
  return [...pieces, { ...piece, from: at }].filter(({ from, to }) => from <= to);
};

interface Loss {
  /** Both ends are exclusive. */
  readonly from: number;
  readonly to: number;
  readonly collections: readonly string[];
  /** Null if they are unknown. */
  readonly count: number | null;
}

const lossesOf = (gaps: readonly Gap[]): readonly Loss[] =>
  gaps.flatMap(({ from, to, collections, count }) =>
    collections
      ? [
          {
            from: microsOf(from),
            to: to === null ? endless : microsOf(to),
            collections,
            count: affectedCount({ collections, ...(count !== undefined && { count }) }),
          },
        ]
      : [],
  );

/** Splits a piece into parts with the same losses. If unknown collections are lost, no collection is known to be complete. */
const partsOf = (piece: Stretch, losses: readonly Loss[], known: KnownCollections): readonly Stretch[] => {
  const near = losses.filter(({ from, to }) => from < piece.to && to > piece.from);
  if (near.length === 0) return [piece];
  const begins = near.flatMap(({ from, to }) => [from + 1, to]).filter((at) => at > piece.from && at <= piece.to);
  const starts = [...new Set([piece.from, ...begins])].sort((a, b) => a - b);
  return starts.map((from, n) => {
    const part = { ...piece, from, to: (starts[n + 1] ?? piece.to + 1) - 1 };
    const lost = near.filter((loss) => loss.from < from && from < loss.to);
    return lost.length === 0 ? part : { ...part, known: knownWithout(lost, piece.known, known) };
  });
};

/** Names none if a lost collection is not named: it may be one of those. */
const knownWithout = (
  lost: readonly Loss[],
  unchecked: KnownCollections | undefined,
  known: KnownCollections,
): KnownCollections => {
  const whole = unchecked ?? (lost.some(({ count }) => count === null) ? { collections: [], count: 0 } : known);
  const isNamed = lost.every(({ collections, count }) => (count ?? 0) <= collections.length);
  const missing = new Set(lost.flatMap(({ collections }) => collections));
  const collections = isNamed ? whole.collections.filter((id) => !missing.has(id)) : [];
  // Collections that were unknown then are not among those that were captured then.
  const removed = unchecked
    ? whole.collections.filter((id) => missing.has(id)).length
    : lost.reduce((sum, { count }) => sum + (count ?? 0), 0);
  return { collections, count: Math.max(collections.length, whole.count - removed) };
};

/**
 * Stretches without a loss, oldest first, whatever order gaps were recorded in. After a loss a stretch begins with a base. Within a
 * bridged gap not every second is known.
 */
const stretchesOf = (record: PitrRecord): readonly Stretch[] => {
  const { gaps, capturedTo, precision } = record;
  if (capturedTo === null) return [];
  const end = microsOf(capturedTo);
  const readTimes = basesOf(record)
    .map(({ readTime }) => microsOf(readTime))
    .sort((a, b) => a - b);
  const cuts = gaps
    .filter(({ collections }) => collections === undefined)
    .map(({ from, to, isBridged }) => ({ from: microsOf(from), to: to === null ? endless : microsOf(to), isBridged }))
    .sort((a, b) => a.from - b.from);
  const stretches: Stretch[] = [];
  let from = readTimes[0] ?? endless;
  for (const loss of cuts.filter(({ isBridged }) => !isBridged)) {
    if (loss.to <= from) continue;
    stretches.push({ from, to: Math.min(loss.from, end) });
    from = readTimes.find((readTime) => readTime >= loss.to) ?? endless;
  }
  // With precision interval a restore uses the last capture everywhere.
  const bridged = precision === 'interval' ? [] : cuts.filter(({ isBridged }) => isBridged);
  return [...stretches, { from, to: end }].flatMap((stretch) => split(stretch, bridged)).filter(({ from, to }) => from <= to);
};

const endless = Number.POSITIVE_INFINITY;

/** Both ends of a bridged gap are known. */
const split = ({ from, to }: Stretch, bridged: readonly Stretch[]): readonly Stretch[] => {
  const pieces: Stretch[] = [];
  let at = from;
  for (const gap of bridged) {
    if (gap.to <= at || gap.from >= to) continue;
    pieces.push({ from: at, to: gap.from });
    pieces.push({ from: Math.max(at, gap.from + 1), to: Math.min(gap.to - 1, to), isInterval: true });
    at = gap.to;
  }
  return [...pieces, { from: at, to }];
};

const windowOf = ({ from, to, known, isInterval }: Stretch, horizon: number): Shown['windows'] => {
  const [first, last] = [ceilSecond(Math.max(from, horizon)), floorSecond(to)];
  if (first > last) return [];
  return [
    {
      from: shownMoment(first),
      to: shownMoment(last),
      complete: known === undefined,
      ...(isInterval && { precision: 'interval' }),
      ...(known && { collections: [...known.collections], collectionCount: known.count }),
    },
  ];
};

/** The newest base with no gap of all collections between it and the moment, which must lie in a window. */
export const baseFor = (record: Pick<PitrRecord, 'bases' | 'gaps' | 'keptFrom'>, moment: string): Base | undefined => {
  const { gaps } = record;
  const at = microsOf(moment);
  const base = basesOf(record).findLast(({ readTime }) => microsOf(readTime) <= at);
  const isCut = gaps.some(
    ({ collections, isBridged, from, to }) =>
      base && !collections && !isBridged && microsOf(from) < at && (to === null || microsOf(to) > microsOf(base.readTime)),
  );
  return isCut ? undefined : base;
};

export const shownGap = ({ from, to, reason, collections, count }: Gap): Shown['gaps'][number] => ({
  from: shownMoment(microsOf(from)),
  to: to === null ? null : shownMoment(Math.ceil(microsOf(to) / 1_000) * 1_000),
  reason,
  ...(collections && { collections: [...collections], collectionCount: count ?? (collections.length || null) }),
});
