import { Leaf } from '../leaf/leaf.ts';
import { compareNames } from '../name/compare-names.ts';
import { type Frame, type ReadOptions, readFrames } from '../object/read-frames.ts';
import { type LeafLocation, leafLocation } from '../page/index-page.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import type { ByteSource } from '../primitives/byte-queue.ts';

interface LocatedLeaf {
  readonly leaf: Leaf;
  readonly location: LeafLocation;
}

/** Reads all leaves of a chunk. Verifies frames as `readFrames` does, and in an ordered chunk that names ascend across leaves. */
export async function* readChunk(source: ByteSource, options: ReadOptions): AsyncGenerator<LocatedLeaf, void, undefined> {
  let keys: Frame | undefined;
  let before: Buffer | undefined;
  let records = 0;
  for await (const frame of readFrames(source, options)) {
    if (!keys) {
      if (frame.last) throw new ArchiveError('record-invalid', 'the chunk ends after a keys frame without bodies');
      keys = frame;
      continue;
    }
    const leaf = new Leaf(keys.plain, frame.plain);
    if (leaf.ordered && leaf.count > 0) {
      if (before && compareNames(before, leaf.name(0)) >= 0)
        throw new ArchiveError('record-invalid', 'the leaves of the chunk are out of order');
      before = Buffer.from(leaf.name(leaf.count - 1));
    }
    records += leaf.count;
    if (frame.last && options.entry && options.entry.records !== records)
      throw new ArchiveError('hash-mismatch', 'the number of records in the chunk differs from the manifest');
    const source = { backup: options.identity.backup, object: options.name, records: leaf.count };
    yield { leaf, location: leafLocation(source, keys, frame) };
    keys = undefined;
  }
}
