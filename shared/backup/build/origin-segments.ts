/** The segments of a base that lie in a range, each with what has to be read of it. Neighbouring leaves are fetched together. */
import {
  type Archive,
  compareNames,
  type EncodedNameRange,
  type FetchedLeaf,
  type Segment,
  segmentsInRanges,
  type WantedLeaf,
} from '../../archive/index.ts';
import { freeBuffers, mapConcurrent, prefetch } from '../../platform/index.ts';
import type { StoredChange } from './delta.ts';
import { isCopied } from './is-copied.ts';
import { SegmentWindow } from './segment-window.ts';

/** What becomes of the records: they stay where they are, in a copy of their leaf, or in new leaves. */
export type Treatment = 'keep' | 'copy' | 'write';

export interface OriginSegment {
  readonly segment: Segment;
  readonly treatment: Treatment;
  /** Absent if all of its records are kept, and none is looked at. */
  readonly fetched?: FetchedLeaf | undefined;
  /** Documents that do not change are looked into, each for so many. */
  readonly sampledFor?: number | undefined;
}

export interface OriginRange {
  readonly archive: Archive;
  /** The names that are left of the range. The first is included. */
  readonly range: EncodedNameRange;
  /** The changes of the range, read apart from those that are joined: they tell which leaves are needed. */
  readonly changes: AsyncGenerator<StoredChange, void, undefined>;
  /** Whether leaves are copied, because the backup must not depend on its base. */
  readonly copies: boolean;
  /** The moment of the new backup. */
  readonly readTime: string;
}

/** A fetch is at most this large; what lies between two leaves that are needed is fetched with them, up to the second number. */
const fetchBytesMax = 512 << 10;
const gapBytesMax = 128 << 10;
const groupSegmentsMax = 512;
const groupsAhead = 2;
const fetchesAtOnce = 4;
/** So many segments of a base, evenly spread, are looked into; and those where the first of a collection was seen. */
const samplesWanted = 64;
const collectionsMax = 64;

/** In name order. Fetches ahead of what is consumed. */
export async function* originSegments(options: OriginRange): AsyncGenerator<OriginSegment, void, undefined> {
  const leaves = new FetchedLeaves(options.archive);
  const groups = grouped(plannedSegments(options));
  for await (const group of prefetch(groups, groupsAhead, (segments) => leaves.load(segments))) {
    for (const one of group) yield one;
    leaves.freeOld();
  }
}

interface PlannedSegment extends Omit<OriginSegment, 'fetched'> {
  readonly wants: 'nothing' | 'keys' | 'all';
}

async function* plannedSegments({
  archive,
  range,
  changes,
  copies,
  readTime,
}: OriginRange): AsyncGenerator<PlannedSegment, void, undefined> {
  const window = new SegmentWindow(segmentsInRanges(archive, [{ from: range.from }]), range.to);
  const sampling = new Sampling(archive);
  const treatments = new Map<string, Treatment>();
  let change = await changes.next();
  for (let segment = await window.next(); segment; segment = await window.next()) {
    const { value: next, isLast } = await window.peek();
    while (!change.done && compareNames(nameOf(change.value), segment.first) < 0) change = await changes.next();
    const isTouched = !change.done && (!next || compareNames(nameOf(change.value), next.first) < 0);
    const isCut =
      (range.from && compareNames(segment.first, range.from) < 0) ||
      (isLast && range.to !== undefined && !window.endsAt(range.to));
    const key = leafKey(segment);
    const treatment = !copies
      ? 'keep'
      : (treatments.get(key) ?? ((await isCopied(segment, window, readTime)) ? 'copy' : 'write'));
    if (copies) treatments.set(key, treatment);
    const sampledFor = sampling.of(segment, next);
    const isOpened = isTouched || isCut || !isPlain(archive, segment);
    const wants = copies || sampledFor !== undefined ? 'all' : isOpened ? 'keys' : 'nothing';
    yield { segment, treatment, wants, sampledFor };
  }
}

const nameOf = ({ leaf, slot }: StoredChange): Buffer => leaf.name(slot);
export const leafKey = ({ backup, object, frame }: Segment): string => `${backup} ${object} ${frame}`;

/** Whether it holds only documents: tombstones are only in a backup's own chunks, and users sort before all documents. */
export const isPlain = ({ documentsRoot, manifest: { counts, backup } }: Archive, segment: Segment): boolean =>
  compareNames(segment.first, Buffer.from(documentsRoot.slice(0, -1))) > 0 &&
  (counts.tombstones === 0 || segment.backup !== backup);

/** Which segments are looked into. Where a collection begins, there is one of its documents in the segment or the next one. */
class Sampling {
  readonly #stride: number;
  readonly #seen = new Set<string>();
  #number = 0;

  constructor({ pages }: Archive) {
    this.#stride = Math.max(1, Math.ceil(pages.reduce((sum, { segments }) => sum + segments, 0) / samplesWanted));
  }

  of({ first }: Segment, next: Segment | undefined): number | undefined {
    const isNew = [first, ...(next ? [next.first] : [])].map((name) => this.#isNew(name)).includes(true);
    if (this.#number++ % this.#stride === 0) return this.#stride;
    return isNew ? 1 : undefined;
  }

  #isNew(name: Buffer): boolean {
    const end = name.lastIndexOf('/');
    const id = name.subarray(name.lastIndexOf('/', end - 1) + 1, end).toString();
    if (this.#seen.size >= collectionsMax || this.#seen.has(id)) return false;
    this.#seen.add(id);
    return true;
  }
}

async function* grouped(segments: AsyncIterable<PlannedSegment>): AsyncGenerator<readonly PlannedSegment[], void, undefined> {
  let group: PlannedSegment[] = [];
  let leaves = new Set<string>();
  let bytes = 0;
  for await (const one of segments) {
    group.push(one);
    const key = leafKey(one.segment);
    if (one.wants !== 'nothing' && !leaves.has(key)) bytes += one.segment.keysLength + one.segment.bodiesLength;
    leaves.add(key);
    if (bytes < fetchBytesMax && group.length < groupSegmentsMax) continue;
    yield group;
    group = [];
    leaves = new Set();
    bytes = 0;
  }
  yield group;
}

/** Leaves that several segments of a group, or of the next ones, belong to are fetched once. */
class FetchedLeaves {
  readonly #archive: Archive;
  readonly #recent = new Map<string, { readonly leaf: Promise<FetchedLeaf>; readonly withBodies: boolean }>();
  /** Fetched since buffers were freed. */
  #bytes = 0;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  async load(segments: readonly PlannedSegment[]): Promise<readonly OriginSegment[]> {
    this.#fetch(segments);
    const fetched = segments.map(({ segment, wants }) =>
      wants === 'nothing' ? undefined : this.#recent.get(leafKey(segment))?.leaf,
    );
    for (const oldest of this.#recent.keys()) if (this.#recent.size > recentMax) this.#recent.delete(oldest);
    const leaves = await Promise.all(fetched);
    return segments.map(({ segment, treatment, sampledFor }, n) => ({ segment, treatment, sampledFor, fetched: leaves[n] }));
  }

  /** Frees what was fetched earlier and is no longer used, if that is much. */
  freeOld(): void {
    if (this.#bytes < fetchBytesMax) return;
    freeBuffers();
    this.#bytes = 0;
  }

  #fetch(segments: readonly PlannedSegment[]): void {
    const wanted = new Map<string, WantedLeaf>();
    for (const { segment, wants } of segments) {
      if (wants === 'nothing') continue;
      const key = leafKey(segment);
      const withBodies = wants === 'all' || (wanted.get(key)?.withBodies ?? false);
      const known = this.#recent.get(key);
      if (known && (known.withBodies || !withBodies)) {
        this.#recent.delete(key);
        this.#recent.set(key, known);
      } else wanted.set(key, { segment, withBodies });
    }
    const runs = runsOf([...wanted.values()]);
    for (const { segment } of wanted.values()) this.#bytes += segment.keysLength + segment.bodiesLength;
    const fetching = mapConcurrent(runs, fetchesAtOnce, (run) => this.#archive.packedLeaves(run));
    // The rejection is handled where the leaves are awaited.
    fetching.catch(() => undefined);
    for (const [at, run] of runs.entries())
      for (const [n, { segment, withBodies }] of run.entries()) {
        const leaf = fetching.then((all) => all[at]?.[n] ?? Promise.reject(new Error('a leaf was not fetched')));
        leaf.catch(() => this.#recent.delete(leafKey(segment)));
        this.#recent.set(leafKey(segment), { leaf, withBodies });
      }
  }
}

/** Each takes less than 1 MB. */
const recentMax = 8;

/** The leaves that one fetch reads. */
const runsOf = (wanted: readonly WantedLeaf[]): readonly (readonly WantedLeaf[])[] => {
  const sorted = wanted.toSorted(
    ({ segment: a }, { segment: b }) =>
      (a.backup === b.backup ? 0 : a.backup < b.backup ? -1 : 1) ||
      (a.object === b.object ? 0 : a.object < b.object ? -1 : 1) ||
      a.offset - b.offset,
  );
  const runs: WantedLeaf[][] = [];
  for (const one of sorted) {
    const run = runs.at(-1);
    const [first, last] = [run?.[0]?.segment, run?.at(-1)?.segment];
    const isNear =
      first &&
      last &&
      first.backup === one.segment.backup &&
      first.object === one.segment.object &&
      one.segment.offset - (last.offset + last.keysLength) <= gapBytesMax &&
      one.segment.offset + one.segment.keysLength + one.segment.bodiesLength - first.offset <= 2 * fetchBytesMax;
    if (run && isNear) run.push(one);
    else runs.push([one]);
  }
  return runs;
};
