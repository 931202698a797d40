/**
 * What a function's instance keeps between calls: clients, keys, caches. All of it is created here, on first use, so that a process can
 * start anew (the tests do before each file), and nothing else of a module changes.
 */

const forgets: (() => void)[] = [];

/** Created by the first call, the same for every later one. */
export const warm = <T>(create: () => T): (() => T) => {
  let kept: { readonly value: T } | undefined;
  forgets.push(() => {
    kept = undefined;
  });
  return () => {
    kept ??= { value: create() };
    return kept.value;
  };
};

/** Like `warm` for what has to be fetched. After a failure the next call tries again. */
export const warmPromise = <T>(fetch: () => Promise<T>): (() => Promise<T>) => {
  const holder = warm((): { pending: Promise<T> | undefined } => ({ pending: undefined }));
  return () => {
    const held = holder();
    held.pending ??= fetch().catch((error: unknown) => {
      held.pending = undefined;
      throw error;
    });
    return held.pending;
  };
};

/** Forgets everything, as if the process had just started. */
export const forgetWarm = (): void => {
  for (const forget of forgets) forget();
};
