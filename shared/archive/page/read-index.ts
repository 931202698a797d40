import { compareNames } from '../name/compare-names.ts';
import { type ReadOptions, readFrames } from '../object/read-frames.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import type { ByteSource } from '../primitives/byte-queue.ts';
import { decodePage, type Segment } from './index-page.ts';
import { type PageEntry, pageEntry } from './index-writer.ts';

/** A page as the manifest lists it, and what is in it. */
export interface ReadPage {
  readonly entry: PageEntry;
  readonly segments: readonly Segment[];
}

/**
 * The pages of a whole index object, proven as `readFrames` says and ascending throughout. Whoever seals the manifest can
 * take its pages from here instead of having them handed over by each shard's writer.
 */
export async function* readPages(source: ByteSource, options: ReadOptions): AsyncGenerator<ReadPage, void, undefined> {
  let before: Buffer | undefined;
  let count = 0;
  for await (const frame of readFrames(source, options)) {
    const segments = decodePage(frame.plain);
    const [first] = segments;
    if (before && first && compareNames(before, first.first) >= 0) throw new ArchiveError('index-invalid', 'pages out of order');
    before = segments.at(-1)?.first ?? before;
    count += segments.length;
    if (frame.last && options.entry && options.entry.records !== count)
      throw new ArchiveError('hash-mismatch', 'the index holds another number of segments than the manifest lists');
    yield { entry: pageEntry(options.name, frame, segments), segments };
  }
}

/** The segments of all its pages. */
export async function* readIndex(source: ByteSource, options: ReadOptions): AsyncGenerator<Segment, void, undefined> {
  for await (const { segments } of readPages(source, options)) yield* segments;
}
