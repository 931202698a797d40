/** What the windows of point-in-time recovery say about a moment, in milliseconds. */
import type { DataOf } from '../../../../../../shared/client/index.ts';

type PitrWindows = DataOf<'GET /projects/{projectId}/pitr/windows'>;

export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Named {
  /** The first of the collections; undefined if it concerns all. */
  readonly collections: readonly string[] | undefined;
  /** How many there are; null if that is unknown. */
  readonly count: number | null;
}

export interface WindowSpan extends Span, Named {
  readonly isComplete: boolean;
  /** Not every second is known: a restore uses the last capture before the moment. */
  readonly isInterval: boolean;
}

export interface GapSpan extends Span, Named {
  readonly reason: string;
}

export interface Coverage {
  readonly windows: readonly WindowSpan[];
  readonly gaps: readonly GapSpan[];
  readonly sampled: readonly Span[];
  /** From the first moment that anything is known about until now. */
  readonly extent: Span;
}

export const coverageOf = ({ windows, gaps, sampled }: PitrWindows, now: number): Coverage => {
  const shownGaps = gaps.map(({ from, to, reason, collections, collectionCount }) => ({
    from: Date.parse(from),
    to: to === null ? now : Date.parse(to),
    reason,
    collections,
    count: collectionCount ?? null,
  }));
  const shownWindows = windows.map(({ from, to, complete, precision, collections, collectionCount }) => ({
    from: Date.parse(from),
    to: Date.parse(to),
    isComplete: complete,
    isInterval: precision === 'interval',
    collections,
    count: collectionCount ?? null,
  }));
  const first = Math.min(now - 60_000, ...[...shownWindows, ...shownGaps].map(({ from }) => from));
  return {
    windows: shownWindows,
    gaps: shownGaps,
    sampled: sampled.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) })),
    extent: { from: first, to: now },
  };
};

export interface MomentState {
  /** complete: all collections. partial: some. none: it cannot be restored. */
  readonly kind: 'complete' | 'partial' | 'none';
  readonly window: WindowSpan | undefined;
  readonly gaps: readonly GapSpan[];
  /** Capturing was interrupted, and that time is not proven. */
  readonly isSampled: boolean;
  /** The nearest restorable moments on both sides of one that is not. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export const stateAt = ({ windows, gaps, sampled }: Coverage, at: number): MomentState => {
  const window = windows.find(({ from, to }) => from <= at && at <= to);
  return {
    kind: window === undefined ? 'none' : window.isComplete ? 'complete' : 'partial',
    window,
    gaps: gaps.filter(({ from, to }) => from < at && at < to),
    isSampled: sampled.some(({ from, to }) => from < at && at < to),
    before: windows.findLast(({ to }) => to < at)?.to,
    after: windows.find(({ from }) => from > at)?.from,
  };
};

/** The last moment of which everything is known, else the last restorable one. */
export const latestOf = ({ windows }: Pick<Coverage, 'windows'>): number | undefined =>
  windows.findLast(({ isComplete }) => isComplete)?.to ?? windows.at(-1)?.to;

/** Neighbours that would be less than a pixel apart become one, so that thousands of spans draw quickly. */
export const mergeClose = <T extends Span>(
  spans: readonly T[],
  gapMs: number,
  isAlike: (a: T, b: T) => boolean,
): readonly T[] => {
  const merged: T[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && span.from - last.to <= gapMs && isAlike(last, span))
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, span.to) };
    else merged.push(span);
  }
  return merged;
};
