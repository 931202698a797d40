/** Checking the objects of a backup one by one, as deep as was asked for. */
import {
  ArchiveError,
  type Leaf,
  type LeafLocation,
  type ObjectEntry,
  objectKind,
  type ReadOptions,
  readChunk,
  readPages,
  recordKind,
  type Segment,
} from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { log } from '../../platform/index.ts';
import type { OpenArchive } from '../read/open-archive.ts';
import { piecesOf } from '../read/stream-object.ts';
import type { Finding } from './verification-report.ts';

/** Records of each kind. */
export interface Tally {
  documents: number;
  tombstones: number;
  users: number;
}

export interface ObjectCheck {
  readonly open: OpenArchive;
  /** What the store lists: sizes by name. */
  readonly stored: ReadonlyMap<string, number>;
  readonly isFull: boolean;
}

type Problem = Pick<Finding, 'problem' | 'message'>;

/** What is wrong with an object of the backup, if anything; a full check also counts the records that the index finds in it. */
export const checkObject = async (check: ObjectCheck, entry: ObjectEntry, tally: Tally): Promise<Problem | undefined> => {
  try {
    const size = await sizeOf(check, entry);
    if (size === undefined) return { problem: 'missing', message: 'The object is not there' };
    if (size !== entry.size) return { problem: 'size', message: `The object has ${size} bytes instead of ${entry.size}` };
    // What an earlier backup holds for this one is read where the index of this one points to it.
    if (entry.backup !== check.open.archive.manifest.backup) return undefined;
    if (objectKind(entry.name) === 'index') add(tally, await twice(entry, () => checkIndex(check, entry)));
    else if (check.isFull) add(tally, await twice(entry, () => checkChunk(check, entry)));
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
};

/** What an error of reading says about an object; anything else is thrown on. */
export const problemOf = (error: unknown): Problem => {
  // Of an earlier backup that this one needs: what opens it, or where it lies, is not to be had.
  if (error instanceof JobFailure || (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND'))
    return { problem: 'unreadable', message: error.message };
  if (error instanceof ArchiveError) return { problem: 'corrupt', message: `${error.code}: ${error.message}` };
  if (!(error instanceof StorageError)) throw error;
  const problems = { missing: 'missing', invalid: 'size', denied: 'unreadable', unavailable: 'unreadable' } as const;
  return { problem: problems[error.code], message: error.message };
};

const sizeOf = async ({ open, stored }: ObjectCheck, { backup, name }: ObjectEntry): Promise<number | undefined> =>
  backup === open.archive.manifest.backup ? stored.get(name) : (await (await open.partOf(backup)).store.head(name))?.size;

/** Bytes that came damaged once may come whole the second time: then it was the way, not the object. */
const twice = async (entry: ObjectEntry, read: () => Promise<Tally>): Promise<Tally> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    log.warn('an object of a backup failed its check and is read again', { name: entry.name, code: error.code });
    return read();
  }
};

const optionsOf = async ({ open }: ObjectCheck, entry: ObjectEntry): Promise<ReadOptions> => {
  const { organization, project, backup } = open.archive.manifest;
  const { dataKey } = await open.partOf(backup);
  return { identity: { organization, project, backup }, name: entry.name, dataKey, entry };
};

/** Every page is there, proven, and what the manifest lists. */
const checkIndex = async (check: ObjectCheck, entry: ObjectEntry): Promise<Tally> => {
  const { archive, store } = check.open;
  const listed = archive.manifest.pages.filter(({ object }) => object === entry.name);
  let n = 0;
  for await (const { entry: page } of readPages(piecesOf(store, entry), await optionsOf(check, entry))) {
    const expected = listed[n++];
    for (const key of ['frame', 'offset', 'length', 'segments', 'records', 'first', 'sha256'] as const)
      if (expected?.[key] !== page[key]) throw new ArchiveError('index-invalid', 'a page that is not what the manifest lists');
  }
  return nothing();
};

/** Every byte is what the manifest lists, and every record where the index of the same number says. */
const checkChunk = async (check: ObjectCheck, entry: ObjectEntry): Promise<Tally> => {
  const tally = nothing();
  const awaited = Map.groupBy(await segmentsIn(check, entry), ({ frame }) => frame);
  for await (const { leaf, location } of readChunk(piecesOf(check.open.store, entry), await optionsOf(check, entry))) {
    for (const segment of awaited.get(location.frame) ?? []) {
      if (!isSamePlace(segment, location) || !leaf.name(segment.start).equals(segment.first))
        throw new ArchiveError('index-invalid', 'the index says something else than the chunk holds');
      count(leaf, segment, tally);
    }
    awaited.delete(location.frame);
  }
  if (awaited.size > 0) throw new ArchiveError('index-invalid', 'the index finds records where the chunk has none');
  return tally;
};

/** An index that cannot be read is told of by itself: here it only finds nothing. */
const segmentsIn = async ({ open: { archive } }: ObjectCheck, entry: ObjectEntry): Promise<readonly Segment[]> => {
  const segments: Segment[] = [];
  try {
    for (const page of archive.pages) if (isPair(page.object, entry.name)) segments.push(...(await archive.segmentsOf(page)));
  } catch (error) {
    problemOf(error);
    return [];
  }
  return segments.filter(({ object, backup }) => object === entry.name && backup === entry.backup);
};

/** `index/00000001-0002` is written together with `chunk/00000001-0002`. */
export const isPair = (index: string, chunk: string): boolean => index.slice('index'.length) === chunk.slice('chunk'.length);

const isSamePlace = (a: LeafLocation, b: LeafLocation): boolean =>
  a.offset === b.offset &&
  a.keysLength === b.keysLength &&
  a.bodiesLength === b.bodiesLength &&
  a.records === b.records &&
  a.keysSha256.equals(b.keysSha256) &&
  a.bodiesSha256.equals(b.bodiesSha256);

export const nothing = (): Tally => ({ documents: 0, tombstones: 0, users: 0 });
const kinds = {
  [recordKind.document]: 'documents',
  [recordKind.tombstone]: 'tombstones',
  [recordKind.user]: 'users',
} as const;
/** Adds the records of a segment. */
export const count = (leaf: Leaf, { start, count: slots }: Segment, tally: Tally): void => {
  for (let slot = start; slot < start + slots; slot++) tally[kinds[leaf.kind(slot)]] += 1;
};
const add = (tally: Tally, more: Tally): void => {
  for (const kind of Object.values(kinds)) tally[kind] += more[kind];
};
