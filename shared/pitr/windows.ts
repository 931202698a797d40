/** What can be restored, never optimistic: decided from the record alone. */
import type * as z from 'zod';
import type { PitrWindows } from '../contract/pitr.ts';
import { ceilSecond, floorSecond, microsOf, shownMoment } from './moment.ts';
import type { Base, Gap, PitrRecord } from './record.ts';

const dayMicros = 24 * 3_600 * 1_000_000;

/** Before this nothing is offered, though it may still be there: so what is being restored is not removed meanwhile. */
export const horizonOf = ({ retentionDays, keptFrom }: Pick<PitrRecord, 'retentionDays' | 'keptFrom'>, now: Date): number =>
  Math.max(now.getTime() * 1_000 - retentionDays * dayMicros, keptFrom === null ? 0 : microsOf(keptFrom));

/** Whole seconds that every collection can be restored to, cut where something is missing of all; and what is missing of some. */
export const windowsOf = (record: PitrRecord, now: Date): z.input<typeof PitrWindows> => {
  const horizon = horizonOf(record, now);
  const gaps = record.gaps.filter(({ to }) => to === null || microsOf(to) > horizon);
  return { windows: stretchesOf(record).flatMap((stretch) => windowOf(stretch, horizon)), gaps: gaps.map(shownGap) };
};

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Stretches of time in which every moment is known, oldest first. What follows a gap begins with a base; only where the gap is
 * bridged, with its end.
 */
const stretchesOf = ({ bases, gaps, capturedTo }: PitrRecord): readonly Stretch[] => {
  if (capturedTo === null) return [];
  const end = microsOf(capturedTo);
  const readTimes = bases.map(({ readTime }) => microsOf(readTime));
  const stretches: Stretch[] = [];
  let from: number | undefined = readTimes[0];
  for (const gap of gaps.filter(({ collections }) => collections === undefined)) {
    const gapFrom = microsOf(gap.from);
    const gapTo = gap.to === null ? Number.POSITIVE_INFINITY : microsOf(gap.to);
    if (from === undefined) break;
    if (gapTo <= from) continue;
    if (gapFrom >= from) stretches.push({ from, to: Math.min(gapFrom, end) });
    from = gap.isBridged ? gapTo : readTimes.find((readTime) => readTime >= gapTo);
  }
  if (from !== undefined && from <= end) stretches.push({ from, to: end });
  return stretches;
};

const windowOf = ({ from, to }: Stretch, horizon: number): z.input<typeof PitrWindows>['windows'] => {
  const [first, last] = [ceilSecond(Math.max(from, horizon)), floorSecond(to)];
  return first <= last ? [{ from: shownMoment(first), to: shownMoment(last) }] : [];
};

/** The newest base that leads to a moment without anything missing of all in between; the moment itself must lie in a window. */
export const baseFor = ({ bases, gaps }: Pick<PitrRecord, 'bases' | 'gaps'>, moment: string): Base | undefined => {
  const at = microsOf(moment);
  const base = bases.findLast(({ readTime }) => microsOf(readTime) <= at);
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
