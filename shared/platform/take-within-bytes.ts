/** The longest prefix of a list that has at most `maxBytes` and `maxCount` elements. */
export const takeWithinBytes = <T>(
  list: readonly T[],
  {
    sizeOf,
    maxBytes,
    maxCount = Number.POSITIVE_INFINITY,
  }: {
    readonly sizeOf: (element: T) => number;
    readonly maxBytes: number;
    readonly maxCount?: number;
  },
): readonly T[] => {
  let [bytes, count] = [0, 0];
  for (const element of list) {
    bytes += sizeOf(element);
    if (bytes > maxBytes || count === maxCount) break;
    count += 1;
  }
  return list.slice(0, count);
};
