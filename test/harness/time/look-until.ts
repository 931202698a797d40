import { setTimeout as pause } from 'node:timers/promises';

const firstMs = 200;
const longestMs = 800;

/**
 * Looks until what is seen is so, and returns it. A look through the API costs about 25 ms of CPU, so the pauses grow: a backup of
 * three seconds is looked at 6 times rather than 15.
 */
export const lookUntil = async <T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> => {
  for (let pauseMs = firstMs; ; pauseMs = Math.min(pauseMs * 1.5, longestMs)) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await pause(pauseMs);
  }
};
