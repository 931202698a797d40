import { hash } from 'node:crypto';
import { ArchiveError } from '../primitives/archive-error.ts';

/** Returns the bytes if their hash matches. */
export const verified = (plain: Buffer, sha256: Buffer): Buffer => {
  if (!hash('sha256', plain, 'buffer').equals(sha256))
    throw new ArchiveError('hash-mismatch', 'the hash of a frame differs from the index or the manifest');
  return plain;
};
