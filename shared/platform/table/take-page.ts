/** The first `limit` elements and, only if there is one more, the key to continue from. So no page but the first is empty. */
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
