/** What lies right below a path of a backup. */
import { type Archive, afterSubtree, recordKind, Seeker } from '../../shared/archive/index.ts';

export interface Child {
  readonly id: string;
  /** False for a document that is not there itself, only documents below it; and for collections. */
  readonly isThere: boolean;
}

/**
 * Below `parent`, a document's or a collection's full name or the root of all documents, in the order of names. Of leaves only
 * the keys are fetched, and only of those where a child begins.
 */
export async function* listChildren(archive: Archive, parent: string): AsyncGenerator<Child, void, undefined> {
  const prefix = `${parent}/`;
  const seeker = new Seeker(archive);
  await seeker.seek(Buffer.from(`${prefix}${leastId}`));
  for (let name = await seeker.name(); name; name = await seeker.name()) {
    const text = name.toString();
    if (!text.startsWith(prefix)) return;
    // A document that is gone: what lies below it may still be there.
    if ((await seeker.kind()) !== recordKind.document) {
      await seeker.next();
      continue;
    }
    const [id = '', ...deeper] = text.slice(prefix.length).split('/');
    yield { id, isThere: deeper.length === 0 };
    await seeker.seek(afterSubtree(Buffer.from(`${prefix}${id}`)));
  }
}

/** No id comes before it. */
const leastId = '__id-9223372036854775808__';

/** How many documents lie in a collection at any depth: two places in the index tell, unless some of the records say what is gone. */
export const countDocuments = async (archive: Archive, collection: string): Promise<number> => {
  const [first, end] = [new Seeker(archive), new Seeker(archive)];
  await first.seek(Buffer.from(`${collection}/${leastId}`));
  await end.seek(afterSubtree(Buffer.from(collection)));
  const records = (await end.rank()) - (await first.rank());
  if (archive.manifest.counts.tombstones === 0) return records;
  let documents = 0;
  for (let i = 0; i < records; i++, await first.next()) if ((await first.kind()) === recordKind.document) documents += 1;
  return documents;
};
