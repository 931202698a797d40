/** Finds and writes every version that existed at a whole second. The source itself sends only the version at the end of each step. */
import { type ChangeBatchWriter, createdOf, updatedOf } from '../batch/change-batch-writer.ts';
import type { Version, VersionSearch } from '../listen/observed-changes.ts';
import type { Lookup } from './document-lookup.ts';
import { samplesOf, searchVersions, type VersionQuery } from './version-search.ts';

interface Proof {
  readonly searches: readonly VersionSearch[];
  /** Further moments whose versions are wanted: the end of the cycle, if some groups are observed further. In microseconds. */
  readonly others: readonly number[];
  readonly isEverySecond: boolean;
  readonly lookup: Lookup;
  readonly writer: Pick<ChangeBatchWriter, 'document' | 'tombstone' | 'drain'>;
}

interface RunningSearch {
  readonly search: VersionSearch;
  readonly queries: Generator<VersionQuery, void, Version | undefined>;
  readonly written: Set<number>;
}

/** Memory is that of the names and of the responses in flight. */
export const proveSeconds = async ({ searches, others, isEverySecond, lookup, writer }: Proof): Promise<void> => {
  let waiting = new Map<number, RunningSearch[]>();
  const advance = (running: RunningSearch, found?: Version): void => {
    for (let query = running.queries.next(found); !query.done; query = running.queries.next()) {
      if ('look' in query.value) {
        const moment = query.value.look;
        waiting.set(moment, waiting.get(moment) ?? []);
        waiting.get(moment)?.push(running);
        return;
      }
      writer.tombstone(running.search.name, query.value.goneSince);
    }
  };
  const samples = sampling(isEverySecond, others);
  for (const search of searches) {
    const queries = searchVersions({ ...search, samples: samples(search) }, search.last);
    advance({ search, queries, written: new Set(search.versions.map(({ updated }) => updated)) });
  }
  await writer.drain();
  while (waiting.size > 0) {
    const round = waiting;
    waiting = new Map();
    for (const [moment, running] of round) {
      // A document may have changed in several steps.
      const byName = Map.groupBy(running, ({ search }) => search.name);
      await lookup.at(moment, [...byName.keys()], (name, bytes, skim) => {
        const version = bytes && { updated: updatedOf(skim), created: createdOf(skim) };
        for (const one of byName.get(name) ?? []) {
          if (bytes && version && version.updated > one.search.from && !one.written.has(version.updated)) {
            one.written.add(version.updated);
            writer.document(bytes, 0, bytes.length, skim);
          }
          advance(one, version);
        }
      });
      await writer.drain();
    }
  }
};

/** Cached, because most searches are of the same few steps. */
const sampling = (isEverySecond: boolean, others: readonly number[]) => {
  const known = new Map<string, readonly number[]>();
  return ({ from, to }: VersionSearch): readonly number[] => {
    const key = `${from} ${to}`;
    const samples = known.get(key) ?? samplesOf(from, { to, isEverySecond, others });
    known.set(key, samples);
    return samples;
  };
};
