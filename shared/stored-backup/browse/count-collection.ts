import { recordKind, type Seeker } from '../../archive/index.ts';

/**
 * Counts the documents of the collection that the seeker is at, by their names; undefined if that takes more than `fetchesMax`
 * fetches. The manifest only has counts by collection id.
 */
export const countCollection = async (seeker: Seeker, prefix: Buffer, fetchesMax: number): Promise<number | undefined> => {
  const fetchesBefore = seeker.fetches;
  let documents = 0;
  while (!seeker.isAtEnd) {
    // The first name of a segment is known without fetching it.
    if (!startsWith((await seeker.name()) ?? nothing, prefix)) return documents;
    if (seeker.fetches - fetchesBefore >= fetchesMax) return undefined;
    const { leaf, from, to } = await seeker.run();
    for (let slot = from; slot < to; slot++) {
      const name = leaf.name(slot);
      if (!startsWith(name, prefix)) return documents;
      if (leaf.kind(slot) === recordKind.document && !name.includes(slash, prefix.length)) documents += 1;
    }
    await seeker.pass(to - from);
  }
  return documents;
};

/** Whether a name is below a prefix, which ends with a slash. */
export const startsWith = (name: Buffer, prefix: Buffer): boolean =>
  name.length > prefix.length && name.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

export const slash = 0x2f;
const nothing = Buffer.alloc(0);
