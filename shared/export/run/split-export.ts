import { type Archive, compareNames, type EncodedNameRange, type Segment, segmentsInRanges } from '../../archive/index.ts';
import { intersection, type NameRange, scopeOf } from '../../firestore/index.ts';
import { archiveRanges, type BackupRecord } from '../../stored-backup/index.ts';
import type { ExportSizes } from '../export-deps.ts';

/** A range of names that one run exports. */
interface ExportRange {
  readonly bound: NameRange;
  /** Records in the range by the index: tombstones and what an erasure hides are among them. */
  readonly expected: number;
}

/** The ranges of names that an export covers: never more than its backup. */
export const exportScope = (
  { collections: included, excludedCollections }: Pick<BackupRecord, 'collections' | 'excludedCollections'>,
  collections: readonly string[],
): readonly NameRange[] => intersection(scopeOf(included, excludedCollections), scopeOf(collections));

/** More would not fit into the state of a workflow. */
const shardsMax = 10_000;

/**
 * Cuts the scope where segments of the backup begin, by documents and by bytes: a segment has about 1 MiB of documents. The same
 * archive is always cut alike. Empty if nothing is in scope.
 */
export const splitExport = async (
  archive: Archive,
  scope: readonly NameRange[],
  { shardRecords, shardSegments }: Pick<ExportSizes, 'shardRecords' | 'shardSegments'>,
): Promise<readonly ExportRange[]> => {
  const segmentsInAll = archive.pages.reduce((sum, { segments }) => sum + segments, 0);
  const factor = Math.max(1, Math.ceil(segmentsInAll / (shardSegments * (shardsMax / 2))));
  const [recordsMax, segmentsMax] = [shardRecords * factor, shardSegments * factor];
  const root = archive.documentsRoot;
  const shards: ExportRange[] = [];
  let from: string | undefined;
  let [records, segments] = [0, 0];
  for await (const { name, count } of countedSegments(archive, archiveRanges(archive, scope))) {
    const isFull = records >= recordsMax || segments >= segmentsMax;
    // Users sort before all documents.
    if (isFull && name.startsWith(root) && shards.length < shardsMax - 1) {
      const to = name.slice(root.length);
      shards.push({ bound: rangeOf(from, to), expected: records });
      from = to;
      [records, segments] = [0, 0];
    }
    records += count;
    segments += 1;
  }
  return segments === 0 && shards.length === 0 ? [] : [...shards, { bound: rangeOf(from, undefined), expected: records }];
};

/** Segments with the number of their records in the ranges. Only those that cross a bound of the scope are opened. */
async function* countedSegments(
  archive: Archive,
  ranges: readonly EncodedNameRange[],
): AsyncGenerator<{ readonly name: string; readonly count: number }, void, undefined> {
  let before: Segment | undefined;
  for await (const segment of segmentsInRanges(archive, ranges)) {
    if (before) yield await counted(archive, before, { ranges, next: segment.first });
    before = segment;
  }
  if (before) yield await counted(archive, before, { ranges, next: undefined });
}

/** `next`: a name behind the segment; undefined if there is none in scope. */
const counted = async (
  archive: Archive,
  segment: Segment,
  { ranges, next }: { readonly ranges: readonly EncodedNameRange[]; readonly next: Uint8Array | undefined },
): Promise<{ readonly name: string; readonly count: number }> => {
  const { first, start, count } = segment;
  const name = first.toString();
  const isWhole = ranges.some(
    ({ from, to }) => (!from || compareNames(from, first) <= 0) && (!to || (next !== undefined && compareNames(next, to) <= 0)),
  );
  if (isWhole) return { name, count };
  const leaf = await archive.leaf(segment, 'keys');
  const end = start + count;
  const within = ranges.map(({ from, to }) => {
    const begin = from ? leaf.lowerBound(from, start, end) : start;
    return Math.max(0, (to ? leaf.lowerBound(to, begin, end) : end) - begin);
  });
  return { name, count: within.reduce((sum, one) => sum + one, 0) };
};

const rangeOf = (from: string | undefined, to: string | undefined): NameRange => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});
