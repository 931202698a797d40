/**
 * Finds the versions of one document at whole seconds. Pure: it yields queries and receives the version at a moment. A version
 * that existed only between two sampled moments is not found.
 */
import type { Version, VersionSearch } from '../listen/observed-changes.ts';
import { floorSecond } from '../model/micro-time.ts';

interface SampledSearch extends Pick<VersionSearch, 'from' | 'to'>, Partial<Pick<VersionSearch, 'seenAt' | 'versions'>> {
  /** The moments whose versions are wanted, ascending. */
  readonly samples: readonly number[];
}

/** `look` asks for the version at a moment; `goneSince` says from which sample on the document is deleted. */
export type VersionQuery = { readonly look: number } | { readonly goneSince: number };

/** Goes back from the last version, and ends at one that is not newer than the start, which is known. */
export function* searchVersions(
  search: SampledSearch,
  last: Version | undefined,
): Generator<VersionQuery, void, Version | undefined> {
  const { from, samples, versions = [] } = search;
  let version = last ?? (yield* dateDeletion(search, samples.length));
  while (version) {
    const before = lastBelow(samples, version.updated);
    const sample = samples[before];
    if (sample === undefined) return;
    // The version was created after the sample; usually there was no document of the name before.
    const isNew: boolean = sample < version.created && !versions.some(({ updated }) => updated <= sample);
    if (isNew && !(yield { look: from })) return;
    // A document that existed at the start may have been deleted and created again within a second.
    const found: Version | undefined = yield { look: sample };
    if (!found) version = yield* dateDeletion(search, before);
    else version = found.updated > from ? found : undefined;
  }
}

/**
 * Binary search for the first sample at which the document is deleted, given that it is at sample `goneAt`. Returns the version
 * before. The first guess is the sample before the source noticed the deletion.
 */
function* dateDeletion(
  { from, to, samples, seenAt, versions = [] }: SampledSearch,
  goneAt: number,
): Generator<VersionQuery, Version | undefined, Version | undefined> {
  let last = versions.findLast(({ updated }) => updated <= (samples[goneAt] ?? to));
  let [low, high] = [last ? lastBelow(samples, last.updated) : -1, goneAt];
  let guess = seenAt === undefined ? -1 : Math.min(lastBelow(samples, seenAt), goneAt - 1);
  while (high - low > 1) {
    const middle = guess > low ? guess : (low + high) >>> 1;
    guess = -1;
    const found: Version | undefined = yield { look: samples[middle] ?? to };
    if (found) [low, last] = [middle, found];
    else high = middle;
  }
  yield { goneSince: samples[high] ?? to };
  return last && last.updated > from ? last : undefined;
}

/** The index of the last sample before a moment, or -1. */
const lastBelow = (samples: readonly number[], moment: number): number => {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((samples[middle] ?? 0) < moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** The whole seconds after `from` and up to `to`, if wanted, and those of the other moments that lie between. */
export const samplesOf = (
  from: number,
  { to, isEverySecond, others }: { readonly to: number; readonly isEverySecond: boolean; readonly others: readonly number[] },
): readonly number[] => {
  const samples = new Set<number>();
  if (isEverySecond) for (let at = floorSecond(from + second); at <= to; at += second) samples.add(at);
  for (const other of others) if (other > from && other < to) samples.add(other);
  return [...samples].sort((a, b) => a - b);
};

const second = 1_000_000;
