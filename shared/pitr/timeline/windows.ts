/** The restorable windows, computed from the record alone and never optimistic. */
import type * as z from 'zod';
import type { PitrWindows } from '../../contract/models/pitr.ts';
import { ceilSecond, floorSecond, microsOf, shownMoment } from '../model/micro-time.ts';
import type { Base, Gap, PitrRecord, Unchecked } from '../model/record.ts';

const dayMicros = 24 * 3_600 * 1_000_000;

/** Nothing before this is offered, although it may still exist: captures in use by a restore are thus not deleted meanwhile. */
const horizonOf = ({ retentionDays, keptFrom }: Pick<PitrRecord, 'retentionDays' | 'keptFrom'>, now: Date): number =>
  Math.max(now.getTime() * 1_000 - retentionDays * dayMicros, keptFrom === null ? 0 : microsOf(keptFrom));

/**
 * Ranges of whole seconds, split at gaps of all collections, and the gaps. A window names its complete collections if others have a
 * gap, or if it was not checked whether there are others.
 */
export const windowsOf = (record: PitrRecord, now: Date): z.input<typeof PitrWindows> => {
  const horizon = horizonOf(record, now);
  const gaps = record.gaps.filter(({ to }) => to === null || microsOf(to) > horizon);
  const unchecked = uncheckedOf(record);
  const losses = lossesOf(record);
  const pieces = stretchesOf(record)
    .flatMap((stretch) => piecesOf(stretch, unchecked))
    .flatMap((piece) => partsOf(piece, losses, record.known));
  return {
    windows: pieces.flatMap((piece) => windowOf(piece, horizon)),
    gaps: gaps.filter(({ isBridged }) => !isBridged).map(shownGap),
    sampled: (record.sampled ?? []).flatMap(({ from, to }) =>
      microsOf(to) > horizon
        ? [{ from: shownMoment(microsOf(from)), to: shownMoment(Math.ceil(microsOf(to) / 1_000) * 1_000) }]
        : [],
    ),
  };
};

/** Whether it was never checked if there were other collections at that moment. */
export const isUnchecked = (record: PitrRecord, moment: string): boolean => {
  const at = microsOf(moment);
  return uncheckedOf(record).some(({ from, to }) => microsOf(from) < at && at <= microsOf(to));
};

const neverChecked = '1970-01-01T00:00:00Z';

const uncheckedOf = ({ unchecked = [], checkedAt = neverChecked, capturedTo, known = [] }: PitrRecord) =>
  capturedTo === null || microsOf(checkedAt) >= microsOf(capturedTo)
    ? unchecked
    : [...unchecked, { from: checkedAt, to: capturedTo, collections: known }];

const uncheckedMax = 20;

/** The unchecked periods when captures begin again. If they are too many, the oldest two are merged, with their common collections. */
export const remainingUnchecked = (record: PitrRecord): readonly Unchecked[] => {
  const kept = record.keptFrom === null ? 0 : microsOf(record.keptFrom);
  const [first, second, ...rest] = uncheckedOf(record).filter(({ to }) => microsOf(to) > kept);
  const all = [first, second, ...rest].filter((one) => one !== undefined);
  if (!first || !second || all.length <= uncheckedMax) return all;
  const collections = first.collections.filter((id) => second.collections.includes(id));
  return [{ from: first.from, to: second.to, collections }, ...rest];
};

/** The usable bases: a damaged one is skipped as long as batches reach back to the one before. */
const basesOf = ({ bases, keptFrom }: Pick<PitrRecord, 'bases' | 'keptFrom'>): readonly Base[] => {
  if (!bases.some(({ isDamaged }) => isDamaged)) return bases;
  const first = keptFrom === null ? 0 : microsOf(keptFrom);
  return bases.filter(({ isDamaged, readTime }) => !isDamaged && microsOf(readTime) >= first);
};

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Only these are known to be complete. */
  readonly collections?: readonly string[];
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
    const rest = { ...stretch, from: Math.max(at, first), to: last, collections: one.collections };
    pieces.push({ ...stretch, from: at, to: first - 1 }, rest);
    at = last + 1;
  }
  return [...pieces, { ...stretch, from: at }];
};

interface Loss {
  /** Both ends are exclusive. */
  readonly from: number;
  readonly to: number;
  readonly collections: readonly string[];
}

const lossesOf = ({ gaps }: PitrRecord): readonly Loss[] =>
  gaps.flatMap(({ from, to, collections }) =>
    collections ? [{ from: microsOf(from), to: to === null ? endless : microsOf(to), collections }] : [],
  );

/** Splits a piece into parts with the same losses. If unknown collections are lost, no collection is known to be complete. */
const partsOf = (piece: Stretch, losses: readonly Loss[], known: readonly string[] = []): readonly Stretch[] => {
  const near = losses.filter(({ from, to }) => from < piece.to && to > piece.from);
  if (near.length === 0) return [piece];
  const begins = near.flatMap(({ from, to }) => [from + 1, to]).filter((at) => at > piece.from && at <= piece.to);
  const starts = [...new Set([piece.from, ...begins])].sort((a, b) => a - b);
  return starts.map((from, n) => {
    const part = { ...piece, from, to: (starts[n + 1] ?? piece.to + 1) - 1 };
    const lost = near.filter((loss) => loss.from < from && from < loss.to).map(({ collections }) => collections);
    if (lost.length === 0) return part;
    const whole = piece.collections ?? (lost.some(({ length }) => length === 0) ? [] : known);
    const missing = new Set(lost.flat());
    return { ...part, collections: whole.filter((id) => !missing.has(id)) };
  });
};

/**
 * Stretches without a loss, oldest first, whatever order gaps were recorded in. After a loss a stretch begins with a base. Within a
 * bridged gap not every second is known.
 */
const stretchesOf = (record: PitrRecord): readonly Stretch[] => {
  const { gaps, capturedTo } = record;
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
  const bridged = cuts.filter(({ isBridged }) => isBridged);
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

const windowOf = ({ from, to, collections, isInterval }: Stretch, horizon: number): z.input<typeof PitrWindows>['windows'] => {
  const [first, last] = [ceilSecond(Math.max(from, horizon)), floorSecond(to)];
  if (first > last) return [];
  const shown = { from: shownMoment(first), to: shownMoment(last) };
  return [{ ...shown, ...(isInterval && { precision: 'interval' }), ...(collections && { collections: [...collections] }) }];
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

export const shownGap = ({ from, to, reason, collections }: Gap): z.input<typeof PitrWindows>['gaps'][number] => ({
  from: shownMoment(microsOf(from)),
  to: to === null ? null : shownMoment(Math.ceil(microsOf(to) / 1_000) * 1_000),
  reason,
  ...(collections && { collections: [...collections] }),
});
