/** Builds all items, a few at a time, those first that are waited for. Nothing is built before `start` or the first `when`. */
export interface BuildQueue {
  /** Resolves when all items have been built or have failed. */
  start(): Promise<void>;
  /** Settles with the build of the item; undefined if it is built, or not in the queue. */
  when(item: string): Promise<void> | undefined;
  /** Begins no further build. */
  stop(): void;
}

export const makeBuildQueue = (
  items: readonly string[],
  atOnce: number,
  build: (batch: readonly string[]) => Promise<void>,
): BuildQueue => {
  const left = new Set(items);
  const awaited = new Set<string>();
  const unfinished = new Map(items.map((item) => [item, Promise.withResolvers<void>()]));
  // A failed build is told to those that wait for it, if any.
  for (const { promise } of unfinished.values()) promise.catch(() => undefined);
  let building: Promise<void> | undefined;

  const buildAll = async (): Promise<void> => {
    while (left.size > 0) {
      const batch = [...awaited.intersection(left), ...left.difference(awaited)].slice(0, atOnce);
      for (const item of batch) left.delete(item);
      try {
        await build(batch);
        for (const item of batch) {
          unfinished.get(item)?.resolve();
          unfinished.delete(item);
        }
      } catch (error) {
        for (const item of batch) unfinished.get(item)?.reject(error);
      }
    }
  };
  const start = (): Promise<void> => {
    building ??= buildAll();
    return building;
  };
  return {
    start,
    stop: () => left.clear(),
    when: (item) => {
      const waiting = unfinished.get(item);
      if (!waiting) return undefined;
      awaited.add(item);
      void start();
      return waiting.promise;
    },
  };
};
