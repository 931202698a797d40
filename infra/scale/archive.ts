/** The objects of a backup in the bucket: parts, index and manifest. */
import * as code from './code.ts';
import { assumed, measured } from './measured.ts';

export interface ArchiveSize {
  readonly parts: number;
  readonly objects: number;
  readonly leaves: number;
  readonly pages: number;
  readonly manifestBytes: number;
}

/** `partsMin`: the number of worker runs, each of which ends a part. `changed`: isolated changed documents. */
export const archiveSize = (
  documents: number,
  { partsMin = 1, changed = 0 }: { partsMin?: number; changed?: number },
): ArchiveSize => {
  const bytes = documents * measured.documentBytes;
  const parts = Math.max(partsMin, Math.ceil(bytes / code.partBytesMax));
  const leaves = Math.ceil(bytes / code.leafBodyBytes);
  // A changed document splits a run of unchanged ones.
  const segments = leaves + 2 * changed;
  const pages = Math.max(parts, Math.ceil(segments / code.pageSegments));
  const objects = 2 * parts;
  const pageBytes = code.pageListedBytes + Math.ceil((assumed.nameBytes * 4) / 3);
  return { parts, objects, leaves, pages, manifestBytes: pages * pageBytes + objects * assumed.objectListedBytes };
};
