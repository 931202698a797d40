/**
 * How the versions of one document are found that were there at whole seconds. Decides only: it asks what was there at a moment
 * and is told. A life of a document between two moments that are looked at is seen by nobody.
 */
import type { Version } from '../listen/observed-changes.ts';
import { floorSecond } from '../model/micro-time.ts';

/** A document of which something was told, and between which two moments. */
export interface VersionSearch {
  readonly name: string;
  /** Known up to here, in microseconds. */
  readonly from: number;
  /** Heard up to here: what it is then. */
  readonly to: number;
  readonly last: Version | undefined;
  /** Versions that are stored already, in the order of time: whatever became of them must be told. */
  readonly versions: readonly Version[];
  /** When the source noticed that it is gone, if it was listened to by then. */
  readonly seenAt: number | undefined;
}

export interface Stretch extends Pick<VersionSearch, 'from' | 'to'>, Partial<Pick<VersionSearch, 'seenAt' | 'versions'>> {
  /** The moments between that are to be known, ascending. */
  readonly samples: readonly number[];
}

/** Asks what was there at a moment, or says since which of them there was nothing. */
export type VersionQuery = { readonly look: number } | { readonly goneSince: number };

/** Goes back from what is there at the end; ends where a version is not newer than the beginning, which is known. */
export function* searchVersions(stretch: Stretch, last: Version | undefined): Generator<VersionQuery, void, Version | undefined> {
  const { from, samples, versions = [] } = stretch;
  let version = last ?? (yield* dateDeletion(stretch, samples.length));
  while (version) {
    const before = lastBelow(samples, version.updated);
    const sample = samples[before];
    if (sample === undefined) return;
    // What was created later is another document of the same name. Mostly there was none before.
    const isNew: boolean = sample < version.created && !versions.some(({ updated }) => updated <= sample);
    if (isNew && !(yield { look: from })) return;
    // One that was there at the beginning may have been until a moment ago: deleted and made again within a second.
    const found: Version | undefined = yield { look: sample };
    if (!found) version = yield* dateDeletion(stretch, before);
    else version = found.updated > from ? found : undefined;
  }
}

/**
 * It is gone at sample `goneAt`, and was there at the beginning, or since it was stored: finds the first at which it is gone; answers
 * what was there before. Whoever listened was told at once: the sample before that is asked for first.
 */
function* dateDeletion(
  { from, to, samples, seenAt, versions = [] }: Stretch,
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

/** The whole seconds after `from` and up to `to`, or none of them; and one moment more that is to be known exactly. */
export const samplesOf = (from: number, to: number, isEverySecond: boolean, more: number): readonly number[] => {
  const samples = new Set<number>();
  if (isEverySecond) for (let at = floorSecond(from + second); at <= to; at += second) samples.add(at);
  if (more > from && more < to) samples.add(more);
  return [...samples].sort((a, b) => a - b);
};

const second = 1_000_000;
