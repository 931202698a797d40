/** Time ranges drawn as one line: what can be restored, what was sampled, and gaps. */
import type { DataOf } from '../../../shared/client/index.ts';

type Windows = Pick<DataOf<'GET /projects/{projectId}/pitr/windows'>, 'windows' | 'gaps' | 'sampled'>;

export interface Timeline {
  readonly from: string;
  readonly to: string;
  /** One character per column. */
  readonly line: string;
}

export const timelineMarks = { complete: '█', some: '▒', sampled: '▓', gap: '·', none: ' ' } as const;
export const timelineAsciiMarks: Readonly<Record<keyof typeof timelineMarks, string>> = {
  complete: '#',
  some: '+',
  sampled: '=',
  gap: '.',
  none: ' ',
};

/** A column with a gap shows the gap, however short: the line never overstates. Undefined if nothing was captured. */
export const drawTimeline = (
  { windows, gaps, sampled }: Windows,
  {
    columns,
    marks,
    nowMs,
  }: { readonly columns: number; readonly marks: Readonly<Record<keyof typeof timelineMarks, string>>; readonly nowMs: number },
): Timeline | undefined => {
  const ranges = [...windows, ...gaps, ...sampled].map(({ from, to }) => ({
    from: Date.parse(from),
    to: to ? Date.parse(to) : nowMs,
  }));
  if (ranges.length === 0) return undefined;
  const fromMs = Math.min(...ranges.map(({ from }) => from));
  const toMs = Math.max(...ranges.map(({ to }) => to), fromMs + 1);
  const stepMs = (toMs - fromMs) / columns;
  const touches = (from: string, to: string | null, startMs: number): boolean =>
    Date.parse(from) < startMs + stepMs && (to ? Date.parse(to) : nowMs) > startMs;
  const line = Array.from({ length: columns }, (_, n) => {
    const startMs = fromMs + n * stepMs;
    if (gaps.some(({ from, to }) => touches(from, to, startMs))) return marks.gap;
    const covering = windows.filter(({ from, to }) => touches(from, to, startMs));
    if (covering.length === 0) return marks.none;
    if (sampled.some(({ from, to }) => touches(from, to, startMs))) return marks.sampled;
    return covering.some(({ complete }) => complete) ? marks.complete : marks.some;
  }).join('');
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), line };
};
