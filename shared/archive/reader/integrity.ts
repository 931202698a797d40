/** Checks on every range read from an archive. */
import type { Leaf } from '../leaf/leaf.ts';
import { compareNames } from '../name/compare-names.ts';
import type { Segment } from '../page/index-page.ts';
import { ArchiveError } from '../primitives/archive-error.ts';

/** Rejects a segment that differs from its leaf. */
export const checkSegment = (leaf: Leaf, { records, start, first }: Segment): Leaf => {
  if (!leaf.ordered || leaf.count !== records || compareNames(leaf.name(start), first) !== 0)
    throw new ArchiveError('index-invalid', 'a segment differs from its leaf');
  return leaf;
};

/** Adds the object to archive errors, so that a repair knows where to look. */
export const attachObject = async <T>(
  object: { readonly backup: string; readonly name: string },
  read: () => Promise<T>,
): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ArchiveError) error.object ??= object;
    throw error;
  }
};
