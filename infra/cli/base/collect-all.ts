/** All elements of a list. Not Array.fromAsync, which Node 20 lacks: there the single file runs. */
export const collectAll = async <T>(list: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = [];
  for await (const one of list) found.push(one);
  return found;
};
