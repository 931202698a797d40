import * as z from 'zod/mini';
import { type Archive, Seeker } from '../../archive/index.ts';
import { invalid } from '../../contract/errors.ts';
import type { Counts, Stop } from './merge-cursors.ts';

const Numbers = z.tuple([z.int(), z.int(), z.int(), z.int()]);
const Cursor = z.object({
  of: z.string(),
  /** Where to continue: the rank in one of the archives, which is short, or the name. */
  at: z.union([z.object({ side: z.enum(['from', 'to']), rank: z.int() }), z.object({ name: z.string() })]),
  counts: Numbers,
  total: z.optional(Numbers),
  readTime: z.optional(z.string()),
  reads: z.optional(z.int()),
});
type Cursor = z.output<typeof Cursor>;

/** What earlier pages of a comparison have counted. */
export interface DiffProgress {
  readonly counts: Counts;
  /** The total counts, if an earlier page has computed them. */
  readonly total: Counts | undefined;
  readonly readTime: string | undefined;
  readonly reads: number;
}

export interface DiffArchives {
  readonly from: Archive | undefined;
  readonly to: Archive | undefined;
}

export const beginning: DiffProgress = {
  counts: { added: 0, changed: 0, removed: 0, unchanged: 0 },
  total: undefined,
  readTime: undefined,
  reads: 0,
};

export const readCursor = (text: string, of: string): { progress: DiffProgress; at: Cursor['at'] } => {
  const cursor = Cursor.parse(JSON.parse(text));
  if (cursor.of !== of) throw invalid('cursor', 'must be a nextCursor of the same comparison');
  const { at, counts, total, readTime, reads = 0 } = cursor;
  return { at, progress: { counts: countsOf(counts), total: total && countsOf(total), readTime, reads } };
};

export const nameAt = async (at: Cursor['at'], sides: DiffArchives): Promise<string> => {
  if ('name' in at) return at.name;
  const archive = sides[at.side];
  const seeker = archive && new Seeker(archive);
  const name = (await seeker?.seekRank(at.rank)) ? await seeker?.name() : undefined;
  if (!archive || !name) throw invalid('cursor', 'must be a nextCursor of the same comparison');
  return name.toString().slice(archive.documentsRoot.length);
};

export const writeCursor = async (
  of: string,
  { stop, sides, progress }: { readonly stop: Stop; readonly sides: DiffArchives; readonly progress: DiffProgress },
): Promise<string> => {
  const archive = sides[stop.side];
  const { total, readTime, reads } = progress;
  const cursor: Cursor = {
    of,
    at: archive ? { side: stop.side, rank: await rankOf(archive, stop.at) } : { name: stop.at.toString() },
    counts: numbersOf(stop.counts),
    ...(total && { total: numbersOf(total) }),
    ...(readTime !== undefined && { readTime, reads }),
  };
  return JSON.stringify(cursor);
};

const rankOf = async (archive: Archive, path: Buffer): Promise<number> => {
  const seeker = new Seeker(archive);
  await seeker.seek(Buffer.concat([Buffer.from(archive.documentsRoot), path]));
  return seeker.rank();
};

type Numbers = z.output<typeof Numbers>;
const numbersOf = (counts: Counts): Numbers => [counts.added, counts.changed, counts.removed, counts.unchanged];
const countsOf = ([added, changed, removed, unchanged]: Numbers): Counts => ({ added, changed, removed, unchanged });
