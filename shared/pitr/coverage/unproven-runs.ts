/** The whole seconds of a period, and the periods around those that are not proven. */
import type { Span } from '../listen/observed-changes.ts';
import { ceilSecond } from '../model/micro-time.ts';
import type { PastSpan } from './past-group.ts';

const second = 1_000_000;

/** Both ends are exclusive. */
export const secondsBetween = (from: number, to: number): readonly number[] => {
  const seconds: number[] = [];
  for (let at = ceilSecond(from + 1); at < to; at += second) seconds.push(at);
  return seconds;
};

/** The periods around moments that follow each other, up to the proven moments beside them. */
export const runsOf = (
  { from, to, moments }: Pick<PastSpan, 'from' | 'to' | 'moments'>,
  unproven: readonly number[],
): readonly Span[] => {
  const lacking = new Set(unproven);
  return moments.flatMap((moment, n) => {
    if (!lacking.has(moment) || lacking.has(moments[n - 1] ?? Number.NaN)) return [];
    const end = moments.findIndex((at, later) => later > n && !lacking.has(at));
    return [{ from: moments[n - 1] ?? from, to: end < 0 ? to : (moments[end] ?? to) }];
  });
};

export const joinedRuns = (spans: readonly Span[]): readonly Span[] => {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && span.from < last.to) joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else joined.push(span);
  }
  return joined;
};
