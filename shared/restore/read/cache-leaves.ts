import type { Leaf, Segment } from '../../archive/index.ts';

type FetchLeaf = (segment: Segment) => Promise<Leaf>;

/** Keeps the `max` leaves that were used last: neighbouring segments often lie in one leaf. */
export const cacheLeaves = (fetchLeaf: FetchLeaf, max: number): FetchLeaf => {
  const leaves = new Map<string, Promise<Leaf>>();
  return (segment) => {
    const key = `${segment.backup} ${segment.object} ${segment.frame}`;
    const leaf = leaves.get(key) ?? fetchLeaf(segment);
    leaves.delete(key);
    leaves.set(key, leaf);
    for (const oldest of leaves.keys()) if (leaves.size > max) leaves.delete(oldest);
    return leaf;
  };
};
