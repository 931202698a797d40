import { compareNames } from '../name/compare-names.ts';
import { type ReadOptions, readFrames } from '../object/read-frames.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import type { ByteSource } from '../primitives/byte-queue.ts';
import { decodePage, type Segment } from './index-page.ts';
import { type PageEntry, pageEntry } from './index-writer.ts';

export interface ReadPage {
  readonly entry: PageEntry;
  readonly segments: readonly Segment[];
}

/**
 * Reads all pages of an index object, verified as `readFrames` does and ascending. The manifest can be sealed from them without
 * collecting the entries of each shard.
 */
export async function* readPages(source: ByteSource, options: ReadOptions): AsyncGenerator<ReadPage, void, undefined> {
  let before: Buffer | undefined;
  let count = 0;
  for await (const frame of readFrames(source, options)) {
    const segments = decodePage(frame.plain);
    const [first] = segments;
    if (before && first && compareNames(before, first.first) >= 0)
      throw new ArchiveError('index-invalid', 'the pages of the index are out of order');
    before = segments.at(-1)?.first ?? before;
    count += segments.length;
    if (frame.last && options.entry && options.entry.records !== count)
      throw new ArchiveError('hash-mismatch', 'the number of segments in the index differs from the manifest');
    yield { entry: pageEntry(options.name, frame, segments), segments };
  }
}

export async function* readIndex(source: ByteSource, options: ReadOptions): AsyncGenerator<Segment, void, undefined> {
  for await (const { segments } of readPages(source, options)) yield* segments;
}
