import { compareNames } from '../name/compare-names.ts';

/** Index of the last element of an ascending list whose name is at most `name`, or -1. */
export const lastAtMost = <T>(list: readonly T[], name: Uint8Array, nameOf: (one: T) => Uint8Array): number => {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const one = list[middle];
    if (one && compareNames(nameOf(one), name) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
