/** Periods without continuous listening. None is dropped while its time is restorable; if they are too many, they are merged. */
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { PitrRecord, Sampled } from '../model/record.ts';

/** About 60 bytes each; a record has at most 400 KB. */
const sampledMax = 500;

export const addSampledPeriod = (
  { sampled = [], keptFrom }: Pick<PitrRecord, 'sampled' | 'keptFrom'>,
  more: { readonly from: number; readonly to: number } | undefined,
): readonly Sampled[] => {
  if (!more) return sampled;
  const kept = sampled.filter(({ to }) => keptFrom === null || microsOf(to) > microsOf(keptFrom));
  const added: Sampled = { from: momentOf(more.from), to: momentOf(more.to) };
  const all = joined([...kept, added].sort((a, b) => (a.from < b.from ? -1 : 1)));
  return all.length > sampledMax ? closest(all) : all;
};

const joined = (sampled: readonly Sampled[]): readonly Sampled[] => {
  const kept: Sampled[] = [];
  for (const one of sampled) {
    const last = kept.at(-1);
    if (last && last.to >= one.from) kept[kept.length - 1] = { from: last.from, to: last.to > one.to ? last.to : one.to };
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
