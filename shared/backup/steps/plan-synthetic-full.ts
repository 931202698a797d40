/** What a full backup is made of that is made of another: ranges cut from its index, at its own moment, without a read. */
import { type Archive, type NamedPage, recordKind } from '../../archive/index.ts';
import type { NameRange, Plan } from '../../firestore/index.ts';
import { documentsRoot } from '../cursor/archive-cursor.ts';

/** A range of so many documents takes a worker a minute or a few. */
const rangeRecords = 500_000;
/** Pages of the index fetched at once. */
const lanes = 8;

export interface ArchivePlanOptions {
  readonly rangesMax: number;
  /** Records that a range should have, about. */
  readonly records?: number;
}

/** The ranges follow each other without a gap over all names, so every document lies in exactly one. */
export const planSyntheticFull = async (
  archive: Archive,
  { rangesMax, records = rangeRecords }: ArchivePlanOptions,
): Promise<Omit<Plan, 'collections'>> => {
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
  /** Of its first document, below the database. */
  readonly name: string;
  readonly count: number;
}

/** Records that stand side by side: a page of the index or, where one alone is much of a range, its segments. Users are passed over. */
async function* runsIn(archive: Archive, enough: number): AsyncGenerator<Run, void, undefined> {
  const root = documentsRoot(archive);
  const { pages } = archive;
  for (let at = 0; at < pages.length; at += lanes) {
    const runs = await Promise.all(pages.slice(at, at + lanes).map((page) => runsOf(archive, page, enough)));
    for (const { first, count } of runs.flat()) {
      const name = first.toString();
      if (name.startsWith(root)) yield { name: name.slice(root.length), count };
    }
  }
}

const runsOf = async (archive: Archive, page: NamedPage, enough: number): Promise<readonly { first: Buffer; count: number }[]> =>
  page.records > enough / 2 ? archive.segmentsOf(page) : [{ first: page.name, count: page.records }];

/** What a range is about: documents, or without one the users. */
export const recordKindOf = (range: NameRange | undefined) => (range ? recordKind.document : recordKind.user);
