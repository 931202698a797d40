/** Whether a leaf of the base is copied as it is, with the records in it that have been deleted or changed since. */
import type { Segment } from '../../archive/index.ts';
import type { SegmentWindow } from './segment-window.ts';

/** The share of its records that the base still has. */
const livingShare = 0.75;
/** A leaf with records that its base no longer had is written anew at least once in so many days: they do not stay for ever. */
const rewriteDays = 17;
const dayMs = 24 * 3_600_000;

/**
 * The leaves of a chunk ascend, so that of two leaves whose names overlap only one can be copied: the one that holds most of the
 * documents between its first and its last name. The window is at the segment.
 */
export const isCopied = async (segment: Segment, window: SegmentWindow, readTime: string): Promise<boolean> => {
  const { records } = segment;
  let living = segment.count;
  let others = 0;
  let between = 0;
  for (let n = 0; living < records && others <= records; n++) {
    const { value: next } = await window.peek(n);
    if (!next) break;
    if (isSameLeaf(next, segment)) {
      living += next.count;
      between = others;
    } else others += next.count;
  }
  if (living < livingShare * records || between > living) return false;
  return living === records || !isDue(segment, readTime);
};

const isSameLeaf = (a: Segment, b: Segment): boolean => a.frame === b.frame && a.object === b.object && a.backup === b.backup;

/** Every leaf has a day of its own, which no weekly or monthly schedule always misses. */
const isDue = ({ bodiesSha256 }: Segment, readTime: string): boolean =>
  (bodiesSha256.readUInt32BE() + Math.floor(Date.parse(readTime) / dayMs)) % rewriteDays === 0;
