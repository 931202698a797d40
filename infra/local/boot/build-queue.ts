/**
 * Builds items, a few at a time: first those that every session needs, then those that are waited for, and after `start` all others.
 * Nothing is built before `start` or the first `when`.
 */
export interface BuildQueue {
  /** Builds all items. Resolves when they have been built or have failed. */
  start(): Promise<void>;
  /** Settles with the build of the item; undefined if it is built, or not in the queue. One that has failed is built again. */
  when(item: string): Promise<void> | undefined;
  /** Begins no further build. */
  stop(): void;
}

interface BuildQueueOptions {
  /** What is built before anything else, in this order. */
  readonly first: readonly string[];
  readonly others: readonly string[];
  /** The most items of one build. */
  readonly atOnce: number;
  readonly build: (batch: readonly string[]) => Promise<void>;
}

export const makeBuildQueue = ({ first, others, atOnce, build }: BuildQueueOptions): BuildQueue => {
  const items = [...first, ...others];
  const left = new Set(items);
  const awaited = new Set<string>();
  const underWay = new Set<string>();
  const unfinished = new Map<string, PromiseWithResolvers<void>>();
  let building: Promise<void> | undefined;
  let isStarted = false;
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

  const nextBatch = (): readonly string[] => {
    const leading = first.filter((item) => left.has(item));
    const following = [...awaited.intersection(left), ...(isStarted ? left.difference(awaited) : [])];
    return (leading.length > 0 ? leading : following).slice(0, atOnce);
  };

  const buildBatches = async (): Promise<void> => {
    // Those that are asked for at the same time form one batch.
    await undefined;
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      for (const item of batch) {
        left.delete(item);
        underWay.add(item);
      }
      await buildBatch(batch);
      for (const item of batch) underWay.delete(item);
    }
    building = undefined;
  };
  const goOn = (): Promise<void> => {
    building ??= buildBatches();
    return building;
  };
  return {
    start: () => {
      isStarted = true;
      return goOn();
    },
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
      void goOn();
      return waiting.promise;
    },
  };
};

const stopping = (): Error => new Error('the stage is stopping');
