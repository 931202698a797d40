import { useId } from 'react';
import { type Coverage, mergeClose, type Span, type WindowSpan } from './coverage.ts';

interface TracksProps {
  readonly coverage: Coverage;
  readonly view: Span;
  readonly width: number;
}

const kindOf = ({ isComplete, isInterval }: WindowSpan): 'complete' | 'partial' | 'interval' =>
  !isComplete ? 'partial' : isInterval ? 'interval' : 'complete';

/** Windows, gaps and sampled stretches, each on its own track: patterns tell them apart without colours. */
export const Tracks = ({ coverage, view, width }: TracksProps) => {
  const id = useId();
  const msPerPixel = (view.to - view.from) / width;
  const xOf = (at: number): number => (at - view.from) / msPerPixel;
  const isVisible = ({ from, to }: Span): boolean => to >= view.from && from <= view.to;
  const rectOf = ({ from, to }: Span) => {
    const [left, right] = [Math.max(-2, xOf(from)), Math.min(width + 2, xOf(to))];
    return { x: left, width: Math.max(1.5, right - left) };
  };
  const close = Math.max(msPerPixel, 1_000);
  const windows = mergeClose(coverage.windows.filter(isVisible), close, (a, b) => kindOf(a) === kindOf(b));
  const gaps = mergeClose(coverage.gaps.filter(isVisible), msPerPixel, () => true);
  const sampled = mergeClose(coverage.sampled.filter(isVisible), msPerPixel, () => true);
  return (
    <>
      <defs>
        <Hatch id={`${id}-partial`} className="timeline__hatch--partial" />
        <Hatch id={`${id}-gap`} className="timeline__hatch--gap" />
        <pattern id={`${id}-interval`} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect className="timeline__hatch-ground timeline__hatch--interval" width="6" height="6" />
          <circle className="timeline__hatch-dot" cx="3" cy="3" r="1.3" />
        </pattern>
      </defs>
      <rect className="timeline__empty" x={0} y={8} width={width} height={36} rx={4} />
      {windows.map((span) => (
        <rect
          key={`${span.from}`}
          className={`timeline__window timeline__window--${kindOf(span)}`}
          {...rectOf(span)}
          y={8}
          height={36}
          {...(kindOf(span) !== 'complete' && { fill: `url(#${id}-${kindOf(span)})` })}
        />
      ))}
      {gaps.map((span) => (
        <rect key={span.from} className="timeline__gap" {...rectOf(span)} y={48} height={9} fill={`url(#${id}-gap)`} />
      ))}
      {sampled.map((span) => (
        <rect key={span.from} className="timeline__sampled" {...rectOf(span)} y={61} height={5} />
      ))}
    </>
  );
};

const Hatch = ({ id, className }: { readonly id: string; readonly className: string }) => (
  <pattern id={id} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect className={`timeline__hatch-ground ${className}`} width="7" height="7" />
    <rect className={`timeline__hatch-line ${className}`} width="3" height="7" />
  </pattern>
);
