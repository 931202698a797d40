/** Builds all items, a few at a time, those first that are waited for. Nothing is built before `start` or the first `when`. */
export interface BuildQueue {
  /** Resolves when all items have been built or have failed. */
  start(): Promise<void>;
  /** Settles with the build of the item; undefined if it is built, or not in the queue. One that has failed is built again. */
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
  const underWay = new Set<string>();
  const unfinished = new Map<string, PromiseWithResolvers<void>>();
  let building: Promise<void> | undefined;
  let isStopped = false;

  const expect = (item: string): void => {
    const outcome = Promise.withResolvers<void>();
    // A failed build is told to those that wait for it, if any.
    outcome.promise.catch(() => undefined);
    unfinished.set(item, outcome);
  };
  for (const item of items) expect(item);

  const fail = (item: string, error: unknown): void => {
    unfinished.get(item)?.reject(error);
    expect(item);
  };

  /** One item may fail the build of all: each then gets its own. */
  const buildBatch = async (batch: readonly string[]): Promise<void> => {
    try {
      await build(batch);
      for (const item of batch) {
        unfinished.get(item)?.resolve();
        unfinished.delete(item);
      }
    } catch (error) {
      if (batch.length > 1) for (const item of batch) await buildBatch([item]);
      else for (const item of batch) fail(item, error);
    }
  };

  const buildAll = async (): Promise<void> => {
    while (left.size > 0) {
      const batch = [...awaited.intersection(left), ...left.difference(awaited)].slice(0, atOnce);
      for (const item of batch) {
        left.delete(item);
        underWay.add(item);
      }
      await buildBatch(batch);
      for (const item of batch) underWay.delete(item);
    }
    building = undefined;
  };
  const start = (): Promise<void> => {
    building ??= buildAll();
    return building;
  };
  return {
    start,
    stop: () => {
      isStopped = true;
      for (const item of left) fail(item, stopping());
      left.clear();
    },
    when: (item) => {
      const waiting = unfinished.get(item);
      if (!waiting) return undefined;
      if (isStopped && !underWay.has(item)) return Promise.reject(stopping());
      awaited.add(item);
      if (!underWay.has(item)) left.add(item);
      void start();
      return waiting.promise;
    },
  };
};

const stopping = (): Error => new Error('the stage is stopping');
