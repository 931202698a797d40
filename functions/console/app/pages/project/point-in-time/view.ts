/** The visible part of a timeline. */
import type { Span } from './coverage.ts';

/** One pixel is then a tenth of a second on an ordinary screen. */
const shortestMs = 60_000;

/** Keeps the length where it can, and never leaves the extent. */
export const clampView = ({ from, to }: Span, extent: Span): Span => {
  const longest = extent.to - extent.from;
  const length = Math.min(longest, Math.max(Math.min(shortestMs, longest), to - from));
  const start = Math.min(Math.max(from, extent.from), extent.to - length);
  return { from: start, to: start + length };
};

/** Zooms by a factor (below 1: closer) so that the anchor keeps its place. */
export const zoomView = (
  view: Span,
  { factor, anchor, extent }: { readonly factor: number; readonly anchor: number; readonly extent: Span },
): Span => clampView({ from: anchor - (anchor - view.from) * factor, to: anchor + (view.to - anchor) * factor }, extent);

export const panView = ({ from, to }: Span, byMs: number, extent: Span): Span =>
  clampView({ from: from + byMs, to: to + byMs }, extent);

/** Moves the view so that the moment is visible. */
export const revealMoment = (view: Span, at: number, extent: Span): Span => {
  if (at >= view.from && at <= view.to) return view;
  const half = (view.to - view.from) / 2;
  return clampView({ from: at - half, to: at + half }, extent);
};

export const isWhole = (view: Span, extent: Span): boolean => view.to - view.from >= extent.to - extent.from;
