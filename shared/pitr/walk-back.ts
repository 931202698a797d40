/**
 * How the versions of one document are found that were there at whole seconds. Decides only: it asks what was there at a moment
 * and is told. A life of a document between two moments that are looked at is seen by nobody.
 */
import type { Version } from './gathering.ts';
import { floorSecond } from './moment.ts';

export interface Stretch {
  /** Known up to here, in microseconds. */
  readonly from: number;
  /** Heard up to here. */
  readonly to: number;
  /** The moments between that are to be known, ascending. */
  readonly samples: readonly number[];
}

/** Asks what was there at a moment, or says since which of them there was nothing. */
export type Step = { readonly look: number } | { readonly goneSince: number };

/** Goes back from what is there at the end; ends where a version is not newer than the beginning, which is known. */
export function* walkBack(stretch: Stretch, last: Version | undefined): Generator<Step, void, Version | undefined> {
  const { from, samples } = stretch;
  let version = last ?? (yield* dateDeletion(stretch, samples.length));
  while (version) {
    const before = lastBelow(samples, version.updated);
    const sample = samples[before];
    if (sample === undefined) return;
    // What was created later is another document of the same name. Mostly there was none before.
    const isNew: boolean = sample < version.created;
    if (isNew && !(yield { look: from })) return;
    // One that was there at the beginning may have been until a moment ago: deleted and made again within a second.
    const found: Version | undefined = yield { look: sample };
    if (!found) version = yield* dateDeletion(stretch, before);
    else version = found.updated > from ? found : undefined;
  }
}

/** It is gone at sample `high`, and was there at the beginning: finds the first at which it is gone; answers what was there before. */
function* dateDeletion(
  { from, to, samples }: Stretch,
  goneAt: number,
): Generator<Step, Version | undefined, Version | undefined> {
  let [low, high] = [-1, goneAt];
  let last: Version | undefined;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
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
