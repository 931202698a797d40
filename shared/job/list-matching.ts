import { query, type Range } from '../platform/index.ts';

/** Queries per request; each reads up to 1 MB. */
const queriesMax = 20;
const itemsPerQuery = 1_000;

/** A page may be short, even empty, and still have a `next`, if the filter matched few of the items that one request may read. */
export const listMatching = async <T extends { readonly sk: string }>(
  range: Range,
  isMatch: (item: T) => boolean,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ readonly items: readonly T[]; readonly next: string | undefined }> => {
  const found: T[] = [];
  let after = page.after;
  for (let queries = 0; queries < queriesMax; queries++) {
    const read = await query<T>({ ...range, after, limit: itemsPerQuery });
    found.push(...read.items.filter(isMatch));
    // One more than the limit shows that there is a next page.
    if (found.length > page.limit) return { items: found.slice(0, page.limit), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { items: found, next: undefined };
    after = read.next;
  }
  return { items: found, next: after };
};
