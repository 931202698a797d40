/** Verifies the objects of a backup one by one, as deep as requested. */
import {
  type Archive,
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
  verifyFilter,
} from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { headExpected, type ObjectState, type ObjectStore, objectWithHash, StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { isPair } from '../model/part-objects.ts';
import type { OpenArchive } from '../read/open-archive.ts';
import { readAgain } from '../read/read-again.ts';
import { streamObject } from '../read/stream-object.ts';
import type { LockCheck } from './lock-check.ts';
import type { VerificationFinding } from './verification-report.ts';

interface Tally {
  documents: number;
  tombstones: number;
  users: number;
}

interface ObjectCheck {
  readonly open: OpenArchive;
  /** Sizes by name, as listed by the store. */
  readonly stored: ReadonlyMap<string, number>;
  readonly isFull: boolean;
  readonly locks?: LockCheck | undefined;
}

export type Problem = Pick<VerificationFinding, 'problem' | 'message'>;

/** The problem of an object that the store does not have, or not with the size that the manifest says. */
export const sizeProblem = (size: number | undefined, entry: Pick<ObjectEntry, 'size'>): Problem | undefined => {
  if (size === undefined) return { problem: 'missing', message: 'The object is missing' };
  return size === entry.size ? undefined : { problem: 'size', message: `The object has ${size} bytes instead of ${entry.size}` };
};

/** The problem of an object, if any. A full check also counts the records that the index finds in it. */
export const checkObject = async (check: ObjectCheck, entry: ObjectEntry, tally: Tally): Promise<Problem | undefined> => {
  try {
    const state = await stateOf(check, entry);
    check.locks?.add(qualifiedName(entry, check.open.archive), state ?? { size: 0 });
    const wrong = sizeProblem(state?.size, entry);
    if (wrong) return wrong;
    const kind = objectKind(entry.name);
    // Records inherited from another backup are checked through the index (checkInheritedRecords), its filters here.
    if (kind !== 'filter' && entry.backup !== check.open.archive.manifest.backup) return undefined;
    if (kind !== 'index' && !check.isFull) return undefined;
    const { store: genuine } = await check.open.sourceOf(entry.backup);
    const checkContent = kind === 'index' ? checkIndex : kind === 'filter' ? checkFilter : checkChunk;
    add(tally, await readAgain(genuine, objectWithHash(entry), (store) => checkContent(check, entry, store)));
    return undefined;
  } catch (error) {
    return toProblem(error);
  }
};

/** The problem that a read error means for an object. Other errors are rethrown. */
export const toProblem = (error: unknown): Problem => {
  // The key or the destination of a backup that this one depends on is unavailable.
  if (error instanceof JobFailure || (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND'))
    return { problem: 'unreadable', message: error.message };
  if (error instanceof ArchiveError) return { problem: 'corrupt', message: `${error.code}: ${error.message}` };
  if (!(error instanceof StorageError)) throw error;
  const problems = { missing: 'missing', invalid: 'size', denied: 'unreadable', unavailable: 'unreadable' } as const;
  return { problem: problems[error.code], message: error.message };
};

/** Of an own object the listing is enough, unless its lock is wanted. */
const stateOf = async ({ open, stored, locks }: ObjectCheck, entry: ObjectEntry): Promise<ObjectState | undefined> => {
  const { backup, name } = entry;
  const size = backup === open.archive.manifest.backup && !locks ? stored.get(name) : undefined;
  if (size !== undefined) return { size };
  try {
    return await headExpected((await open.sourceOf(backup)).store, objectWithHash(entry));
  } catch (error) {
    locks?.locks.count(undefined);
    throw error;
  }
};

/** Objects of other backups are prefixed with the backup's id. */
export const qualifiedName = (
  { backup, ...of }: { readonly backup: string; readonly name?: string; readonly object?: string },
  { manifest }: Archive,
): string => {
  const name = of.name ?? of.object ?? '';
  return backup === manifest.backup ? name : `${backup}/${name}`;
};

const optionsOf = async ({ open }: ObjectCheck, entry: ObjectEntry): Promise<ReadOptions> => {
  const { organization, project } = open.archive.manifest;
  const { dataKey } = await open.sourceOf(entry.backup);
  return { identity: { organization, project, backup: entry.backup }, name: entry.name, dataKey, entry };
};

/** Every page is intact and equals its entry in the manifest. */
const checkIndex = async (check: ObjectCheck, entry: ObjectEntry, store: ObjectStore): Promise<Tally> => {
  const { archive } = check.open;
  const listed = archive.manifest.pages.filter(({ object }) => object === entry.name);
  let n = 0;
  for await (const { entry: page } of readPages(streamObject(store, entry), await optionsOf(check, entry))) {
    const expected = listed[n++];
    for (const key of ['frame', 'offset', 'length', 'segments', 'records', 'first', 'sha256'] as const)
      if (expected?.[key] !== page[key]) throw new ArchiveError('index-invalid', 'a page differs from the manifest');
  }
  return emptyTally();
};

/** Every byte matches the manifest. */
const checkFilter = async (check: ObjectCheck, entry: ObjectEntry, store: ObjectStore): Promise<Tally> => {
  const listed = check.open.archive.manifest.filters?.find(({ backup, name }) => backup === entry.backup && name === entry.name);
  if (!listed) throw new ArchiveError('manifest-invalid', 'the manifest does not list the filter');
  await verifyFilter(streamObject(store, entry), { ...(await optionsOf(check, entry)), entry: listed });
  return emptyTally();
};

/** Every byte matches the manifest, and every record is where the index of the same number says. */
const checkChunk = async (check: ObjectCheck, entry: ObjectEntry, store: ObjectStore): Promise<Tally> => {
  const tally = emptyTally();
  const expectedSegments = Map.groupBy(await segmentsIn(check, entry), ({ frame }) => frame);
  for await (const { leaf, location } of readChunk(streamObject(store, entry), await optionsOf(check, entry))) {
    for (const segment of expectedSegments.get(location.frame) ?? []) {
      if (!isSamePlace(segment, location) || !leaf.name(segment.start).equals(segment.first))
        throw new ArchiveError('index-invalid', 'the index does not match the chunk');
      countRecords(leaf, segment, tally);
    }
    expectedSegments.delete(location.frame);
  }
  if (expectedSegments.size > 0) throw new ArchiveError('index-invalid', 'the index lists records that the chunk does not have');
  return tally;
};

/** An unreadable index is reported on its own; here it has no segments. */
const segmentsIn = async ({ open: { archive } }: ObjectCheck, entry: ObjectEntry): Promise<readonly Segment[]> => {
  const segments: Segment[] = [];
  try {
    for (const page of archive.pages) if (isPair(page.object, entry.name)) segments.push(...(await archive.segmentsOf(page)));
  } catch (error) {
    toProblem(error);
    return [];
  }
  return segments.filter(({ object, backup }) => object === entry.name && backup === entry.backup);
};

const isSamePlace = (a: LeafLocation, b: LeafLocation): boolean =>
  a.offset === b.offset &&
  a.keysLength === b.keysLength &&
  a.bodiesLength === b.bodiesLength &&
  a.records === b.records &&
  a.keysSha256.equals(b.keysSha256) &&
  a.bodiesSha256.equals(b.bodiesSha256);

export const emptyTally = (): Tally => ({ documents: 0, tombstones: 0, users: 0 });
const kinds = {
  [recordKind.document]: 'documents',
  [recordKind.tombstone]: 'tombstones',
  [recordKind.user]: 'users',
} as const;
export const countRecords = (leaf: Leaf, { start, count: slots }: Segment, tally: Tally): void => {
  for (let slot = start; slot < start + slots; slot++) tally[kinds[leaf.storedKind(slot)]] += 1;
};
const add = (tally: Tally, more: Tally): void => {
  for (const kind of Object.values(kinds)) tally[kind] += more[kind];
};
