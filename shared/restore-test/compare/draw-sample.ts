/** Draws a sample of an archive: a number of documents from each collection id, the same for the same seed. */
import { createHash } from 'node:crypto';
import type { Archive } from '../../archive/index.ts';
import { collectionIdOf, compareTextNames, type NameRange } from '../../firestore/index.ts';
import { takeWithinBytes } from '../../platform/index.ts';
import { ArchiveCursor } from '../../stored-backup/index.ts';

/** The paths are stored in an item of the table, and a restore of them in another: both hold 400 KB. */
export const sampleMaxBytes = 200 << 10;

interface Drawn {
  readonly path: string;
  readonly rank: string;
}

interface Sample {
  /** Ascending in the order of names. */
  readonly paths: readonly string[];
  /** Documents of each collection that were drawn at most; fewer than asked for if all would not fit. */
  readonly documentsPerCollection: number;
}

/** The documents with the smallest hashes: every set of that size is equally likely. Reads only the names of the archive. */
export const drawSample = async (
  archive: Archive,
  ranges: readonly NameRange[],
  { seed, documentsPerCollection }: { readonly seed: string; readonly documentsPerCollection: number },
): Promise<Sample> => {
  const drawn = new Map<string, Drawn[]>();
  const cursor = new ArchiveCursor(archive, ranges);
  try {
    for (await cursor.load(); cursor.name; cursor.step() || (await cursor.load()))
      add(drawn, { path: cursor.name.toString(), seed, max: documentsPerCollection });
  } finally {
    await cursor.close();
  }
  return fitSample([...drawn.values()].map(sorted), documentsPerCollection);
};

const add = (
  drawn: Map<string, Drawn[]>,
  { path, seed, max }: { readonly path: string; readonly seed: string; readonly max: number },
): void => {
  const id = collectionIdOf(path);
  const list = drawn.get(id) ?? [];
  drawn.set(id, list);
  list.push({ path, rank: createHash('sha256').update(`${seed} ${path}`).digest('hex') });
  // Sorted now and then: a list never holds more than twice what is kept.
  if (list.length >= 2 * max + 64) list.splice(0, list.length, ...sorted(list).slice(0, max));
};

const sorted = (list: readonly Drawn[]): readonly Drawn[] => list.toSorted((a, b) => (a.rank < b.rank ? -1 : 1));

/** Lowers the number for all collections alike until the paths fit. */
const fitSample = (collections: readonly (readonly Drawn[])[], wanted: number): Sample => {
  for (let each = wanted; ; each = Math.max(1, Math.floor(each * 0.9) - (each > 1 ? 1 : 0))) {
    const paths = collections.flatMap((list) => list.slice(0, each).map(({ path }) => path));
    const isLast = each === 1;
    if (!isLast && Buffer.byteLength(JSON.stringify(paths)) > sampleMaxBytes) continue;
    return { paths: within(paths).toSorted(compareTextNames), documentsPerCollection: each };
  }
};

/** With more collections than fit, the rest of them has no document in the sample. */
const within = (paths: readonly string[]): readonly string[] =>
  takeWithinBytes(paths, { sizeOf: (path) => Buffer.byteLength(path) + 3, maxBytes: sampleMaxBytes });
