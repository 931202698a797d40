import { recordKind, type Seeker } from '../../archive/index.ts';

/**
 * How many documents are right in the collection whose first record the seeker stands at; undefined if it would take more than
 * so many fetches to tell. The archive itself counts by collection id only, so the names are looked at, without their bodies.
 */
export const countCollection = async (seeker: Seeker, prefix: Buffer, fetchesMax: number): Promise<number | undefined> => {
  const fetchesBefore = seeker.fetches;
  let documents = 0;
  while (!seeker.isAtEnd) {
    // Where a segment begins its name is known without fetching it.
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

/** Whether a name lies below the place that the prefix, with its slash, stands for. */
export const startsWith = (name: Buffer, prefix: Buffer): boolean =>
  name.length > prefix.length && name.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

export const slash = 0x2f;
const nothing = Buffer.alloc(0);
