import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { formatSecond } from '../../../format/format-time.ts';
import { Button, IconButton } from '../../../ui/form/button.tsx';
import { ticksOf } from './axis-ticks.ts';
import { type Coverage, type Span, stateAt } from './coverage.ts';
import { Tracks } from './tracks.tsx';
import { useGestures } from './use-gestures.ts';
import { isWhole, revealMoment, zoomView } from './view.ts';

interface TimelineProps {
  readonly coverage: Coverage;
  readonly at: number | undefined;
  readonly onPick: (at: number) => void;
}

const height = 96;
/** Room for the handle of a moment at an end. */
const edge = 8;
const coverWords = { complete: 'completely restorable', partial: 'partly restorable', none: 'not restorable' } as const;
const hourMs = 3_600_000;
const presets = [
  ['1 hour', hourMs],
  ['1 day', 24 * hourMs],
  ['7 days', 168 * hourMs],
] as const;

/** When the project can be restored to. Zooms with the wheel, two fingers, buttons or + and -; a click or the arrows pick a moment. */
export const Timeline = ({ coverage, at, onPick }: TimelineProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame) - 2 * edge;
  const [chosen, setView] = useState<Span>();
  const [hover, setHover] = useState<number>();
  const { extent } = coverage;
  const view = chosen ?? extent;
  const pick = (moment: number): void => {
    const rounded = Math.round(Math.min(Math.max(moment, extent.from), extent.to) / 1_000) * 1_000;
    onPick(rounded);
    if (chosen) setView(revealMoment(chosen, rounded, extent));
  };
  const change = (next: Span): void => setView(isWhole(next, extent) ? undefined : next);
  const zoom = (factor: number): void => {
    const isAtShown = at !== undefined && at >= view.from && at <= view.to;
    change(zoomView(view, { factor, anchor: isAtShown ? at : (view.from + view.to) / 2, extent }));
  };
  const gestures = useGestures({ target: frame, edge, width, view, extent, at, onView: change, onPick: pick });
  const keys = (event: KeyboardEvent): void => {
    const action = keyAction(event, { view, extent, at: at ?? extent.to });
    if (!action) return;
    event.preventDefault();
    if ('pick' in action) pick(action.pick);
    else zoom(action.zoom);
  };
  const xOf = (moment: number): number => ((moment - view.from) / (view.to - view.from)) * width;
  const moveHover = (event: PointerEvent): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - edge;
    setHover(event.pointerType === 'mouse' ? view.from + (x / width) * (view.to - view.from) : undefined);
    gestures.onPointerMove(event);
  };
  const value = at ?? extent.to;
  return (
    <div className="stack stack--medium">
      <div className="row row--spread">
        <div className="row">
          {presets
            .filter(([, length]) => length < extent.to - extent.from)
            .map(([label, length]) => (
              <Button key={label} size="small" onClick={() => change({ from: extent.to - length, to: extent.to })}>
                {label}
              </Button>
            ))}
          <Button size="small" disabledReason={chosen ? undefined : 'Everything is shown'} onClick={() => setView(undefined)}>
            Everything
          </Button>
        </div>
        <div className="row">
          <IconButton icon="minus" label="Zoom out" size="small" variant="secondary" onClick={() => zoom(2)} />
          <IconButton icon="plus" label="Zoom in" size="small" variant="secondary" onClick={() => zoom(0.5)} />
        </div>
      </div>
      <div
        ref={frame}
        className="timeline__frame"
        role="slider"
        tabIndex={0}
        aria-label="Moment to restore"
        aria-valuemin={Math.round(extent.from / 1_000)}
        aria-valuemax={Math.round(extent.to / 1_000)}
        aria-valuenow={Math.round(value / 1_000)}
        aria-valuetext={`${formatSecond(new Date(value))}, ${coverWords[stateAt(coverage, value).kind]}`}
        onKeyDown={keys}
        onPointerLeave={() => setHover(undefined)}
        {...gestures}
        onPointerMove={moveHover}
      >
        <svg width={width + 2 * edge} height={height} viewBox={`${-edge} 0 ${width + 2 * edge} ${height}`} aria-hidden="true">
          <Tracks coverage={coverage} view={view} width={width} />
          {ticksOf(view, width / 84).map(({ at: moment, label, isDay }) => (
            <g key={moment} className={isDay ? 'timeline__tick timeline__tick--day' : 'timeline__tick'}>
              <line x1={xOf(moment)} x2={xOf(moment)} y1={70} y2={75} />
              <text x={xOf(moment)} y={90} textAnchor={anchorOf(xOf(moment), width)}>
                {label}
              </text>
            </g>
          ))}
          {hover !== undefined && <line className="timeline__hover" x1={xOf(hover)} x2={xOf(hover)} y1={2} y2={70} />}
          {at !== undefined && at >= view.from && at <= view.to && (
            <g className="timeline__moment">
              <line x1={xOf(at)} x2={xOf(at)} y1={4} y2={70} />
              <circle cx={xOf(at)} cy={6} r={6} />
            </g>
          )}
        </svg>
        {hover !== undefined && (
          <div className="timeline__tip" style={{ left: Math.min(Math.max(xOf(hover) + edge, 90), Math.max(90, width - 74)) }}>
            {formatSecond(new Date(hover))}
          </div>
        )}
      </div>
    </div>
  );
};

const anchorOf = (x: number, width: number): 'start' | 'middle' | 'end' => (x < 30 ? 'start' : x > width - 30 ? 'end' : 'middle');

interface KeyContext {
  readonly view: Span;
  readonly extent: Span;
  readonly at: number;
}

const keyAction = ({ key, shiftKey }: KeyboardEvent, { view, extent, at }: KeyContext) => {
  const step = shiftKey ? 1_000 : Math.max(1_000, (view.to - view.from) / 100);
  const page = Math.max(1_000, (view.to - view.from) / 10);
  const picks: Readonly<Record<string, number>> = {
    ArrowLeft: at - step,
    ArrowDown: at - step,
    ArrowRight: at + step,
    ArrowUp: at + step,
    PageDown: at - page,
    PageUp: at + page,
    Home: extent.from,
    End: extent.to,
  };
  const pick = picks[key];
  if (pick !== undefined) return { pick };
  if (key === '+' || key === '=') return { zoom: 0.5 };
  return key === '-' ? { zoom: 2 } : undefined;
};

const useWidth = (frame: { readonly current: HTMLElement | null }): number => {
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (!frame.current) return undefined;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.max(100, entry.contentRect.width)));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame]);
  return width;
};
