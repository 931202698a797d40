/** Cuts a page off a sequence. */

/** The first `limit` elements and, only if there is one more, where to go on: a list never promises a page that is empty. */
export const takePage = async <T extends { readonly sk: string }>(
  source: AsyncIterable<T>,
  limit: number,
): Promise<{ items: readonly T[]; next: string | undefined }> => {
  const items: T[] = [];
  for await (const item of source) {
    if (items.length === limit) return { items, next: items.at(-1)?.sk };
    items.push(item);
  }
  return { items, next: undefined };
};
