/** Like `Promise.all` over `items`, with at most `concurrency` calls at a time. The first failure rejects and starts no further call. */
export const mapConcurrent = async <T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = new Array(items.length);
  const queue = items.entries();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const [position, item] of queue) {
      if (hasFailed) return;
      try {
        results[position] = await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  return results;
};
