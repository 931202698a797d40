/** Periods without continuous listening. None is dropped while its time is restorable; if they are too many, they are merged. */
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { PitrRecord, Sampled } from '../model/record.ts';

/** About 60 bytes each; a record has at most 400 KB. */
const sampledMax = 500;

/** The periods that are kept, and more. */
export const withPeriods = (
  periods: readonly Sampled[] = [],
  { keptFrom }: Pick<PitrRecord, 'keptFrom'>,
  more: readonly { readonly from: number; readonly to: number }[],
): readonly Sampled[] => {
  if (more.length === 0) return periods;
  const kept = periods.filter(({ to }) => keptFrom === null || microsOf(to) > microsOf(keptFrom));
  const added = more.map(({ from, to }): Sampled => ({ from: momentOf(from), to: momentOf(to) }));
  let all = joined([...kept, ...added].sort((a, b) => (a.from < b.from ? -1 : 1)));
  while (all.length > sampledMax) all = closest(all);
  return all;
};

/** The period that contains a moment; its ends are known. */
export const periodAt = (periods: readonly Sampled[] = [], moment: string): Sampled | undefined => {
  const at = microsOf(moment);
  return periods.find(({ from, to }) => microsOf(from) < at && at < microsOf(to));
};

const joined = (sampled: readonly Sampled[]): readonly Sampled[] => {
  const kept: Sampled[] = [];
  for (const one of sampled) {
    const last = kept.at(-1);
    // Where one ends and the next begins, the moment is known.
    if (last && last.to > one.from) kept[kept.length - 1] = { from: last.from, to: last.to > one.to ? last.to : one.to };
    else kept.push(one);
  }
  return kept;
};

/** Merges the two closest periods. */
const closest = (sampled: readonly Sampled[]): readonly Sampled[] => {
  const distances = sampled.slice(1).map(({ from }, n) => microsOf(from) - microsOf(sampled[n]?.to ?? from));
  const at = distances.indexOf(Math.min(...distances));
  const [one, other] = [sampled[at], sampled[at + 1]];
  return one && other ? [...sampled.slice(0, at), { from: one.from, to: other.to }, ...sampled.slice(at + 2)] : sampled;
};
