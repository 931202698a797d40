import { type FirestoreDatabase, listCollections, SourceError } from '../../firestore/index.ts';
import { mapConcurrent } from '../../platform/index.ts';
import type { ObservedChanges } from '../listen/observed-changes.ts';
import { ceilSecond, momentOf } from '../model/micro-time.ts';
import type { Gap } from '../model/record.ts';

const second = 1_000_000;
const concurrency = 16;

interface ListedPeriod {
  readonly source: FirestoreDatabase;
  /** Both ends are listed already, in microseconds. */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
  readonly tally: { reads: number };
}

/**
 * Lists the root collections at every whole second between two captures. One that existed only there cannot be listened to any more:
 * it becomes a gap. Seconds that the source can no longer list are a gap of unknown collections.
 */
export const findShortLivedRoots = async (
  { groups }: ObservedChanges,
  { source, from, to, signal, tally }: ListedPeriod,
): Promise<readonly Gap[]> => {
  const seconds: number[] = [];
  for (let at = ceilSecond(from + 1); at < to; at += second) seconds.push(at);
  const found = new Map<string, { first: number; last: number }>();
  const unlisted: number[] = [];
  await mapConcurrent(seconds, concurrency, async (at) => {
    tally.reads += 1;
    try {
      for (const id of await listCollections(source, { parent: source.root, readTime: momentOf(at), signal })) {
        if (groups.has(id)) continue;
        const { first, last } = found.get(id) ?? { first: at, last: at };
        found.set(id, { first: Math.min(first, at), last: Math.max(last, at) });
      }
    } catch (error) {
      if (!(error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED')) throw error;
      unlisted.push(at);
    }
  });
  return [
    ...[...found].map(([id, { first, last }]) => ({
      ...around(first, last),
      reason: 'the root collection existed only between two captures',
      collections: [id],
      isAtRoot: true as const,
    })),
    ...(unlisted.length > 0
      ? [
          {
            ...around(Math.min(...unlisted), Math.max(...unlisted)),
            reason: 'the source could no longer list its root collections at these seconds',
            collections: [],
            isAtRoot: true as const,
          },
        ]
      : []),
  ];
};

/** Both ends of a gap are exclusive. */
const around = (first: number, last: number): Pick<Gap, 'from' | 'to'> => ({
  from: momentOf(first - second),
  to: momentOf(last + second),
});
