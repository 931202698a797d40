/** What every range of an archive that was read is held against. */
import { hash } from 'node:crypto';
import type { Leaf } from '../leaf/leaf.ts';
import { compareNames } from '../name/compare-names.ts';
import type { Segment } from '../page/index-page.ts';
import { ArchiveError } from '../primitives/archive-error.ts';

/** Refuses a segment that says something else than its leaf. */
export const checkSegment = (leaf: Leaf, { records, start, first }: Segment): Leaf => {
  if (!leaf.ordered || leaf.count !== records || compareNames(leaf.name(start), first) !== 0)
    throw new ArchiveError('index-invalid', 'a segment that is not what its leaf holds');
  return leaf;
};

/** Whoever repairs a backup must know which object to look at. */
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

/** The bytes, if they are those that were listed. */
export const verified = (plain: Buffer, sha256: Buffer): Buffer => {
  if (!hash('sha256', plain, 'buffer').equals(sha256))
    throw new ArchiveError('hash-mismatch', 'a frame holds other bytes than listed');
  return plain;
};
