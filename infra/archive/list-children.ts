/** Lists the direct children of a path in a backup. */
import { type Archive, afterSubtree, recordKind, Seeker } from '../../shared/archive/index.ts';

export interface Child {
  readonly id: string;
  /** False for collections, and for missing documents that only have subcollections. */
  readonly exists: boolean;
}

/**
 * Children of `parent` (the full name of a document or a collection, or the documents root) in name order. Fetches only the keys
 * of leaves in which a child begins.
 */
export async function* listChildren(archive: Archive, parent: string): AsyncGenerator<Child, void, undefined> {
  const prefix = `${parent}/`;
  const seeker = new Seeker(archive);
  await seeker.seek(Buffer.from(`${prefix}${leastId}`));
  for (let name = await seeker.name(); name; name = await seeker.name()) {
    const text = name.toString();
    if (!text.startsWith(prefix)) return;
    // A tombstone; documents below it may still exist.
    if ((await seeker.kind()) !== recordKind.document) {
      await seeker.next();
      continue;
    }
    const [id = '', ...deeper] = text.slice(prefix.length).split('/');
    yield { id, exists: deeper.length === 0 };
    await seeker.seek(afterSubtree(Buffer.from(`${prefix}${id}`)));
  }
}

const leastId = '__id-9223372036854775808__';

/** The number of documents in a collection at any depth. Two index lookups suffice unless the backup has tombstones. */
export const countDocuments = async (archive: Archive, collection: string): Promise<number> => {
  const [first, end] = [new Seeker(archive), new Seeker(archive)];
  await first.seek(Buffer.from(`${collection}/${leastId}`));
  await end.seek(afterSubtree(Buffer.from(collection)));
  const records = (await end.rank()) - (await first.rank());
  if (archive.manifest.counts.tombstones === 0 && !archive.isFiltered) return records;
  let documents = 0;
  for (let i = 0; i < records; i++, await first.next()) if ((await first.kind()) === recordKind.document) documents += 1;
  return documents;
};
