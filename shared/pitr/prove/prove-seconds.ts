/** Finds every version that was there at a whole second: what the source tells is what is there at the end of each step. */
import { type ChangeBatchWriter, createdOf, updatedOf } from '../batch/change-batch-writer.ts';
import type { Version } from '../listen/observed-changes.ts';
import type { Lookup } from './document-lookup.ts';
import { samplesOf, searchVersions, type VersionQuery, type VersionSearch } from './version-search.ts';

export interface Proving {
  readonly searches: readonly VersionSearch[];
  /** Everything that is heard is known up to here, in microseconds; some of it was heard further. */
  readonly to: number;
  readonly isEverySecond: boolean;
  readonly lookup: Lookup;
  readonly writer: ChangeBatchWriter;
}

interface Walking {
  readonly walk: VersionSearch;
  readonly looks: Generator<VersionQuery, void, Version | undefined>;
  readonly written: Set<number>;
}

/** Writes what it finds; memory is that of the names, and of the answers under way. */
export const proveSeconds = async ({ searches, to, isEverySecond, lookup, writer }: Proving): Promise<void> => {
  let waiting = new Map<number, Walking[]>();
  const go = (walking: Walking, told?: Version): void => {
    for (let look = walking.looks.next(told); !look.done; look = walking.looks.next()) {
      if ('look' in look.value) {
        const moment = look.value.look;
        waiting.set(moment, waiting.get(moment) ?? []);
        waiting.get(moment)?.push(walking);
        return;
      }
      writer.tombstone(walking.walk.name, look.value.goneSince);
    }
  };
  const samples = sampling(isEverySecond, to);
  for (const walk of searches)
    go({ walk, looks: searchVersions({ ...walk, samples: samples(walk) }, walk.last), written: writtenOf(walk) });
  await writer.drain();
  while (waiting.size > 0) {
    const round = waiting;
    waiting = new Map();
    for (const [moment, walkings] of round) {
      // One document may have been told of in several steps.
      const byName = Map.groupBy(walkings, ({ walk }) => walk.name);
      await lookup.at(moment, [...byName.keys()], (name, bytes, skim) => {
        const version = bytes && { updated: updatedOf(skim), created: createdOf(skim) };
        for (const walking of byName.get(name) ?? []) {
          if (bytes && version && version.updated > walking.walk.from && !walking.written.has(version.updated)) {
            walking.written.add(version.updated);
            writer.document(bytes, 0, bytes.length, skim);
          }
          go(walking, version);
        }
      });
      await writer.drain();
    }
  }
};

const writtenOf = ({ versions }: VersionSearch): Set<number> => new Set(versions.map(({ updated }) => updated));

/** Most searches are of the same few steps. */
const sampling = (isEverySecond: boolean, end: number) => {
  const known = new Map<string, readonly number[]>();
  return ({ from, to }: VersionSearch): readonly number[] => {
    const key = `${from} ${to}`;
    const samples = known.get(key) ?? samplesOf(from, to, isEverySecond, end);
    known.set(key, samples);
    return samples;
  };
};
