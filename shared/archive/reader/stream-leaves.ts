import type { Leaf } from '../leaf/leaf.ts';
import { compareNames } from '../name/compare-names.ts';
import type { Segment } from '../page/index-page.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import type { Archive } from './archive.ts';
import { checkSegment } from './integrity.ts';
import type { LeafContents } from './leaf-cache.ts';
import { boundedSegments, type EncodedNameRange } from './segments-in-ranges.ts';

/** Records `segment.start` to `segment.start + segment.count` of the leaf. */
interface LeafPart {
  readonly segment: Segment;
  readonly leaf: Leaf;
}

interface StreamOptions {
  /** Starts with the segment that may contain this name. */
  readonly from?: Uint8Array;
  /** Only segments that may contain names of these ascending ranges; replaces `from`. */
  readonly within?: readonly EncodedNameRange[];
  /** `keys` fetches about a tenth, enough to compare names and times. May differ per leaf. */
  readonly part?: LeafContents | (() => LeafContents);
  /** Segments that are not read. `next` is the first name of the next segment. */
  readonly skips?: (segment: Segment, next: Buffer | undefined) => boolean | Promise<boolean>;
  /** Leaves to prefetch, 8 by default, which hides a latency of 50 ms per fetch. */
  readonly ahead?: number;
}

/**
 * Streams the records of a backup in name order and verifies the order. Memory holds twice as many leaves as are prefetched. An
 * incremental index alternates between old and new leaves, so recent leaves are reused.
 */
export async function* streamLeaves(archive: Archive, options: StreamOptions = {}): AsyncGenerator<LeafPart, void, undefined> {
  const { from, within = [{ from }], part = 'all', skips, ahead = 8 } = options;
  const partOf = typeof part === 'string' ? () => part : part;
  const recent = new Map<string, Promise<Leaf>>();
  const prefetched: Promise<LeafPart>[] = [];
  const order = new OrderCheck();
  for await (const { segment, next: end } of boundedSegments(archive, within)) {
    if (skips && (await skips(segment, end))) continue;
    const key = `${segment.backup} ${segment.object} ${segment.frame}`;
    const leaf = recent.get(key) ?? archive.leaf(segment, partOf());
    recent.delete(key);
    recent.set(key, leaf);
    for (const oldest of recent.keys()) if (recent.size > ahead) recent.delete(oldest);
    const next = leaf.then((read) => ({ segment, leaf: checkSegment(read, segment) }));
    // The rejection is handled when the leaf is awaited.
    next.catch(() => undefined);
    prefetched.push(next);
    const [first] = prefetched;
    if (first && prefetched.length > ahead) {
      prefetched.shift();
      yield order.check(await first);
    }
  }
  for (const next of prefetched) yield order.check(await next);
}

/** The index proves that segments start in order; only the leaves show that each ends before the next one starts. */
class OrderCheck {
  #last: Buffer | undefined;

  check(part: LeafPart): LeafPart {
    const { segment, leaf } = part;
    if (this.#last && compareNames(this.#last, segment.first) >= 0) throw new ArchiveError('index-invalid', 'segments overlap');
    this.#last = leaf.name(segment.start + segment.count - 1);
    return part;
  }
}
