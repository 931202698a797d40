import type { ByteSource } from './byte-queue.ts';
import { ArchiveError } from './error.ts';
import { compareNames } from './name-order.ts';
import { type ReadOptions, readFrames } from './object-reader.ts';
import { decodePage, type Segment } from './page.ts';

/** The segments of a whole index object, proven as `readFrames` says and ascending throughout. */
export async function* readIndex(source: ByteSource, options: ReadOptions): AsyncGenerator<Segment, void, undefined> {
  let before: Buffer | undefined;
  let segments = 0;
  for await (const frame of readFrames(source, options)) {
    const page = decodePage(frame.plain);
    const [first] = page;
    if (before && first && compareNames(before, first.first) >= 0) throw new ArchiveError('index-invalid', 'pages out of order');
    before = page.at(-1)?.first ?? before;
    segments += page.length;
    if (frame.last && options.entry && options.entry.records !== segments)
      throw new ArchiveError('hash-mismatch', 'the index holds another number of segments than the manifest lists');
    yield* page;
  }
}
