/** The collection ids of gaps. There may be thousands, so they are stored beside the record, which keeps the first few. */
import {
  after,
  check,
  commit,
  create,
  getAll,
  iso,
  newId,
  StaleReadError,
  type Tenant,
  takeWithinBytes,
  type Write,
  walk,
} from '../../platform/index.ts';
import { type Gap, type GapListRecord, gapListPrefix, type PitrRecord, pitrKey } from '../model/record.ts';

/** An item has at most 400 KB. */
const listMaxBytes = 300_000;
/** What the record keeps of a new gap; an id may have 1,500 bytes. */
const shownIds = { maxCount: 100, maxBytes: 5_000 };
/** No cycle takes this long: a list that no gap names by then is orphaned. */
const orphanSeconds = 3_600;

const sizeOf = (id: string): number => Buffer.byteLength(JSON.stringify(id)) + 1;

/** Stores the ids of a new gap, and returns the gap as the record keeps it. */
export const storeGap = async (
  tenant: Tenant,
  { projectId, gap, now }: { readonly projectId: string; readonly gap: Gap; readonly now: Date },
): Promise<Gap> => {
  const { collections = [] } = gap;
  if (collections.length === 0) return gap;
  const lists: string[] = [];
  for (let rest = collections; rest.length > 0; ) {
    const some = takeWithinBytes(rest, { sizeOf, maxBytes: listMaxBytes, maxCount: rest.length });
    const id = newId('capture', now);
    await commit([
      create({ ...pitrKey.gapList(tenant, projectId, id), ids: JSON.stringify(some), since: iso(now) }),
      // Orphaned lists are found only while the record exists.
      check(pitrKey.pitr(tenant, projectId), {}, () => new StaleReadError()),
    ]);
    lists.push(id);
    rest = rest.slice(some.length);
  }
  const shown = takeWithinBytes(collections, { sizeOf, ...shownIds });
  return { ...gap, collections: shown, ...(shown.length < collections.length && { count: collections.length }), lists };
};

/** Returns the gaps that match with all their collection ids, the others as they are. */
export const expandGaps = async (
  tenant: Tenant,
  { projectId, gaps }: Pick<PitrRecord, 'projectId' | 'gaps'>,
  isNeeded: (gap: Gap) => boolean,
): Promise<readonly Gap[]> => {
  const isCut = (gap: Gap): boolean => gap.count !== undefined && gap.lists !== undefined && isNeeded(gap);
  const ids = [...new Set(gaps.filter(isCut).flatMap(({ lists = [] }) => lists))];
  if (ids.length === 0) return gaps;
  const items = await getAll(ids.map((id) => pitrKey.gapList(tenant, projectId, id)));
  const listed = new Map(
    ids.map((id, n) => {
      const item = items[n];
      if (!item) throw new Error(`the collection ids ${id} of a gap are missing`);
      return [id, JSON.parse(item.ids) as readonly string[]] as const;
    }),
  );
  return gaps.map((gap) => {
    if (!isCut(gap)) return gap;
    const { count: _, lists = [], collections = [], ...rest } = gap;
    return { ...rest, lists, collections: [...new Set([...collections, ...lists.flatMap((id) => listed.get(id) ?? [])])] };
  });
};

/** Deletes lists that belong to no gap, nor to one that is about to be committed. Of a deleted project: all. */
export const deleteUnusedLists = async (
  tenant: Tenant,
  { projectId, gaps }: Pick<PitrRecord, 'projectId' | 'gaps'>,
  { now, isProjectGone }: { readonly now: Date; readonly isProjectGone: boolean },
): Promise<void> => {
  const used = new Set(gaps.flatMap(({ lists = [] }) => lists.map((id) => pitrKey.gapList(tenant, projectId, id).sk)));
  const { pk } = pitrKey.tokens(tenant, projectId);
  const before = iso(after(now, -orphanSeconds));
  const unused: Write[] = [];
  for await (const { sk, since } of walk<GapListRecord>({ pk, prefix: gapListPrefix, only: ['sk', 'since'] }))
    if (isProjectGone || (!used.has(sk) && since < before)) unused.push({ remove: { pk, sk } });
  for (let n = 0; n < unused.length; n += writesMax) await commit(unused.slice(n, n + writesMax));
};

/** A transaction has at most 100 writes. */
const writesMax = 100;
