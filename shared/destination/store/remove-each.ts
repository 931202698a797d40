import { mapConcurrent } from '../../platform/async/map-concurrent.ts';

const maxConcurrentCalls = 8;

/** Calls `remove` for every element, also after a failure, so that one protected object keeps no other. Throws the first error at the end. */
export const removeEach = async <T>(elements: readonly T[], remove: (element: T) => Promise<unknown>): Promise<void> => {
  const errors: unknown[] = [];
  await mapConcurrent(elements, maxConcurrentCalls, async (element) => {
    await remove(element).catch((error: unknown) => errors.push(error));
  });
  if (errors.length > 0) throw errors[0];
};
