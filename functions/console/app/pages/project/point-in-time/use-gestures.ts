/** Mouse, wheel and touch on a timeline: click picks, drag pans, the wheel and two fingers zoom. */
import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import type { Span } from './coverage.ts';
import { panView, zoomView } from './view.ts';

interface GestureOptions {
  readonly target: RefObject<HTMLDivElement | null>;
  /** The drawing begins this many pixels within the target. */
  readonly edge: number;
  readonly width: number;
  readonly view: Span;
  readonly extent: Span;
  /** The picked moment: dragging its line moves it. */
  readonly at: number | undefined;
  readonly onView: (view: Span) => void;
  readonly onPick: (at: number) => void;
}

const slackPixels = 4;
const handlePixels = 9;

interface Drag {
  readonly kind: 'pan' | 'pick';
  readonly startX: number;
  readonly view: Span;
  isMoved: boolean;
}

export const useGestures = ({ target, edge, width, view, extent, at, onView, onPick }: GestureOptions) => {
  const pointers = useRef(new Map<number, number>());
  const drag = useRef<Drag>(undefined);
  const leftOf = (): number => (target.current?.getBoundingClientRect().left ?? 0) + edge;
  const timeAt = (x: number, of: Span = view): number => of.from + (x / width) * (of.to - of.from);

  // React listens to wheels passively, so that they could not keep the page from scrolling.
  useEffect(() => {
    const element = target.current;
    const zoom = (event: WheelEvent): void => {
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const distance = isSideways ? event.deltaX || event.deltaY : event.deltaY;
      const length = view.to - view.from;
      const next = isSideways
        ? panView(view, (distance / width) * length, extent)
        : zoomView(view, {
            factor: Math.exp(Math.max(-1, Math.min(1, distance / 300))),
            anchor: timeAt(event.clientX - leftOf()),
            extent,
          });
      // At its limit the timeline lets the page scroll.
      if (next.from === view.from && next.to === view.to) return;
      event.preventDefault();
      onView(next);
    };
    element?.addEventListener('wheel', zoom, { passive: false });
    return () => element?.removeEventListener('wheel', zoom);
  });

  return {
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0) return;
      const x = event.clientX - leftOf();
      pointers.current.set(event.pointerId, x);
      event.currentTarget.setPointerCapture(event.pointerId);
      const handle = at === undefined ? undefined : ((at - view.from) / (view.to - view.from)) * width;
      const isHandle = handle !== undefined && Math.abs(handle - x) <= handlePixels;
      drag.current = { kind: isHandle ? 'pick' : 'pan', startX: x, view, isMoved: false };
    },
    onPointerMove: (event: PointerEvent): void => {
      const before = pointers.current.get(event.pointerId);
      const current = drag.current;
      if (before === undefined || !current) return;
      const x = event.clientX - leftOf();
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      pointers.current.set(event.pointerId, x);
      if (other !== undefined) {
        current.isMoved = true;
        const factor = Math.abs(before - other) / Math.max(8, Math.abs(x - other));
        onView(zoomView(view, { factor, anchor: timeAt((x + other) / 2), extent }));
        return;
      }
      if (Math.abs(x - current.startX) > slackPixels) current.isMoved = true;
      if (!current.isMoved) return;
      if (current.kind === 'pick') onPick(timeAt(x));
      else {
        const { view: start, startX } = current;
        onView(panView(start, ((startX - x) / width) * (start.to - start.from), extent));
      }
    },
    onPointerUp: (event: PointerEvent): void => {
      pointers.current.delete(event.pointerId);
      if (drag.current && !drag.current.isMoved) onPick(timeAt(event.clientX - leftOf()));
      if (pointers.current.size === 0) drag.current = undefined;
    },
    onPointerCancel: (event: PointerEvent): void => {
      pointers.current.delete(event.pointerId);
      drag.current = undefined;
    },
  };
};
