import type { Leaf } from '../leaf/leaf.ts';
import { compareNames } from '../name/compare-names.ts';
import type { Segment } from '../page/index-page.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import type { Archive } from './archive.ts';
import { checkSegment } from './integrity.ts';
import type { LeafContents } from './leaf-cache.ts';
import { type EncodedNameRange, segmentsInRanges } from './segments-in-ranges.ts';

/** Records `segment.start` to `segment.start + segment.count` of the leaf. */
export interface LeafPart {
  readonly segment: Segment;
  readonly leaf: Leaf;
}

export interface StreamOptions {
  /** Begins with the segment that may hold this name. */
  readonly from?: Uint8Array;
  /** Only segments that may hold names of these ranges, which ascend; in place of `from`. */
  readonly within?: readonly EncodedNameRange[];
  /** `keys` fetches about a tenth: enough to compare names and times. May be another from leaf to leaf. */
  readonly part?: LeafContents | (() => LeafContents);
  /** How many leaves are fetched before they are wanted, 8 unless said: then 50 ms per fetch are not what is waited for. */
  readonly ahead?: number;
}

/**
 * The records of a backup in the order of names, which is proven as it goes; memory is that of twice as many leaves as are
 * fetched ahead. An incremental index goes back and forth between old leaves and new ones: recent ones are not fetched again.
 */
export async function* streamLeaves(archive: Archive, options: StreamOptions = {}): AsyncGenerator<LeafPart, void, undefined> {
  const { from, within = [{ from }], part = 'all', ahead = 8 } = options;
  const partOf = typeof part === 'string' ? () => part : part;
  const recent = new Map<string, Promise<Leaf>>();
  const coming: Promise<LeafPart>[] = [];
  const order = new Order();
  for await (const segment of segmentsInRanges(archive, within)) {
    const key = `${segment.backup} ${segment.object} ${segment.frame}`;
    const leaf = recent.get(key) ?? archive.leaf(segment, partOf());
    recent.delete(key);
    recent.set(key, leaf);
    for (const oldest of recent.keys()) if (recent.size > ahead) recent.delete(oldest);
    const next = leaf.then((read) => ({ segment, leaf: checkSegment(read, segment) }));
    // Whoever waits for it hears of it when its turn comes.
    next.catch(() => undefined);
    coming.push(next);
    const [first] = coming;
    if (first && coming.length > ahead) {
      coming.shift();
      yield order.check(await first);
    }
  }
  for (const next of coming) yield order.check(await next);
}

/** Segments begin in order, which the index proves; that each ends before the next begins, only the leaves can tell. */
class Order {
  #last: Buffer | undefined;

  check(part: LeafPart): LeafPart {
    const { segment, leaf } = part;
    if (this.#last && compareNames(this.#last, segment.first) >= 0)
      throw new ArchiveError('index-invalid', 'segments that overlap');
    this.#last = leaf.name(segment.start + segment.count - 1);
    return part;
  }
}
