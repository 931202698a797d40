/** Plans a synthetic full: splits the index of another backup into ranges, without reading the source. */
import { type Archive, type NamedPage, recordKind } from '../../archive/index.ts';
import type { NameRange, ReadPlan } from '../../firestore/index.ts';

/** Copying a range of this many documents takes a few minutes. */
const rangeRecords = 500_000;
const concurrency = 8;

export interface ArchivePlanOptions {
  readonly rangesMax: number;
  readonly records?: number;
}

/** The ranges cover all names without gaps, so every document is in exactly one. */
export const planSyntheticFull = async (
  archive: Archive,
  { rangesMax, records = rangeRecords }: ArchivePlanOptions,
): Promise<Omit<ReadPlan, 'collections'>> => {
  const { counts, readTime } = archive.manifest;
  const enough = Math.max(records, Math.ceil((counts.documents + counts.tombstones) / Math.max(1, rangesMax - 1)));
  const cuts: string[] = [];
  let passed = 0;
  for await (const { name, count } of runsIn(archive, enough)) {
    if (passed >= enough) {
      cuts.push(name);
      passed = 0;
    }
    passed += count;
  }
  return { readTime, ranges: rangesAt(cuts), documents: counts.documents, unknown: [], reads: 0 };
};

const rangesAt = (cuts: readonly string[]): readonly NameRange[] =>
  [undefined, ...cuts].map((from, n) => ({
    ...(from !== undefined && { from }),
    ...(cuts[n] !== undefined && { to: cuts[n] }),
  }));

interface Run {
  /** Path of its first document. */
  readonly name: string;
  readonly count: number;
}

/** Runs of consecutive records: index pages or, where one page is a large part of a range, its segments. Users are skipped. */
async function* runsIn(archive: Archive, enough: number): AsyncGenerator<Run, void, undefined> {
  const { pages, documentsRoot: root } = archive;
  for (let start = 0; start < pages.length; start += concurrency) {
    const runs = await Promise.all(pages.slice(start, start + concurrency).map((page) => runsOf(archive, page, enough)));
    for (const { first, count } of runs.flat()) {
      const name = first.toString();
      if (name.startsWith(root)) yield { name: name.slice(root.length), count };
    }
  }
}

const runsOf = async (archive: Archive, page: NamedPage, enough: number): Promise<readonly { first: Buffer; count: number }[]> =>
  page.records > enough / 2 ? archive.segmentsOf(page) : [{ first: page.name, count: page.records }];

/** Documents, or the users if there is no range. */
export const recordKindOf = (range: NameRange | undefined) => (range ? recordKind.document : recordKind.user);
