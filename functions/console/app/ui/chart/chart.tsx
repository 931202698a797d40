import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';

interface ChartProps {
  /** Read aloud with the first, last and highest value. */
  readonly label: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  readonly formatAxis: (value: number) => string;
  /** A colour of tokens.css; its area uses the same name with `-soft`. */
  readonly color: '--chart-1' | '--chart-2';
}

const heightPx = 170;
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayOf = (seconds: number): string => day.format(new Date(seconds * 1_000));

/** An area over days. Follows the width of its card and the theme. */
export const Chart = ({ label, times, values, format, formatAxis, color }: ChartProps) => {
  const container = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<number>();
  const data = JSON.stringify([times, values]);
  useEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    const series = JSON.parse(data) as [number[], number[]];
    let plot: UPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      plot = new UPlot(optionsOf(element, { color, formatAxis, onCursor: setShown }), series, element);
    };
    draw();
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: heightPx }));
    resized.observe(element);
    // The colours are drawn, so a change of the theme draws them again.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [data, color, formatAxis]);
  const [time, value] = shown === undefined ? [] : [times[shown], values[shown]];
  return (
    <figure className="chart" aria-label={`${label}. ${summaryOf(times, values, format)}`}>
      <div ref={container} className="chart__plot" aria-hidden="true" />
      {time !== undefined && value !== undefined && (
        <figcaption className="small secondary chart__value number" aria-hidden="true">
          {dayOf(time)}: <strong>{format(value)}</strong>
        </figcaption>
      )}
    </figure>
  );
};

const summaryOf = (times: readonly number[], values: readonly number[], format: (value: number) => string): string => {
  const [first, last] = [values[0] ?? 0, values.at(-1) ?? 0];
  return `${dayOf(times[0] ?? 0)}: ${format(first)}. ${dayOf(times.at(-1) ?? 0)}: ${format(last)}. Highest: ${format(Math.max(...values))}.`;
};

interface Look extends Pick<ChartProps, 'color' | 'formatAxis'> {
  readonly onCursor: (index: number | undefined) => void;
}

const optionsOf = (element: HTMLElement, { color, formatAxis, onCursor }: Look): UPlot.Options => {
  const resolve = (name: string): string => resolvedColor(element, name);
  const axis: UPlot.Axis = {
    stroke: resolve('--text-muted'),
    font: `11px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: resolve('--chart-grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: heightPx,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.15 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, size: 26, space: 70, values: (_, splits) => splits.map(dayOf) },
      { ...axis, size: 58, space: 28, incrs: steps, values: (_, splits) => splits.map(formatAxis) },
    ],
    series: [{}, { stroke: resolve(color), fill: resolve(`${color}-soft`), width: 2, points: { show: false } }],
    hooks: { setCursor: [({ cursor: { idx } }) => onCursor(idx ?? undefined)] },
  };
};

/** Distances of two lines: 1, 2, 5, 10, 20 … */
const steps = Array.from({ length: 18 }, (_, exponent) => [1, 2, 5].map((step) => step * 10 ** exponent)).flat();

/** A canvas knows no variables and no light-dark(). */
const resolvedColor = (element: HTMLElement, name: string): string => {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};
