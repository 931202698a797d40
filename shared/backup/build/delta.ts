/** The captured changes since the base of a backup, as its plan has stored them. */
import {
  compareNames,
  decodePage,
  type EncodedNameRange,
  encodePage,
  type Leaf,
  type Manifest,
  type Segment,
} from '../../archive/index.ts';
import { readDestination } from '../../destination/index.ts';
import { prefetch, type Tenant, walk } from '../../platform/index.ts';
import {
  type BackupDeps,
  backupKey,
  type DeltaPageRecord,
  type OpenArchive,
  openWithManifest,
  type PlannedBackup,
} from '../../stored-backup/index.ts';

/** An item of the table has at most 400 KB. */
const pageBytesMax = 100_000;
const rowBytes = 136;
const leavesAhead = 2;

/** The leaves of a delta as pages, each small enough for an item. */
export const deltaPages = (segments: readonly Segment[]): readonly Buffer[] => {
  const pages: Segment[][] = [[]];
  let bytes = 0;
  for (const segment of segments) {
    const size = rowBytes + segment.first.length;
    if (bytes > 0 && bytes + size > pageBytesMax) {
      pages.push([]);
      bytes = 0;
    }
    pages.at(-1)?.push(segment);
    bytes += size;
  }
  return pages.filter((page) => page.length > 0).map(encodePage);
};

/** A change at its place in the delta. Valid until the leaf is no longer used. */
export interface StoredChange {
  readonly segment: Segment;
  readonly leaf: Leaf;
  readonly slot: number;
}

export class Delta {
  readonly #open: OpenArchive | undefined;
  readonly #segments: readonly Segment[];

  private constructor(open: OpenArchive | undefined, segments: readonly Segment[]) {
    this.#open = open;
    this.#segments = segments;
  }

  /** The caller closes it. */
  static async open(
    tenant: Tenant,
    { backup, deps }: { readonly backup: PlannedBackup; readonly deps: BackupDeps },
  ): Promise<Delta> {
    const { delta, planNumber = 0 } = backup;
    if (!delta) return new Delta(undefined, []);
    const segments: Segment[] = [];
    const { pk, sk } = backupKey.deltaPage(tenant, backup.id, { planNumber, page: 0 });
    for await (const { page } of walk<DeltaPageRecord>({ pk, prefix: sk.slice(0, sk.lastIndexOf('#') + 1) }))
      segments.push(...decodePage(page));
    const [destination, dataKey] = await Promise.all([
      readDestination(tenant, backup.storageDestination.id),
      deps.dataKeyOf(tenant, backup),
    ]);
    const store = await deps.openStore(tenant, destination, backup.path);
    // Only its leaves are read, by their segments.
    const manifest: Manifest = {
      formatVersion: 2,
      requiredFeatures: [],
      ...backup.archive,
      parent: null,
      source: '',
      readTime: backup.readTime,
      counts: { documents: 0, tombstones: 0, users: 0 },
      collections: [],
      objects: [delta.chunk],
      pages: [],
      notes: {},
    };
    return new Delta(openWithManifest(tenant, backup, { store, dataKey, manifest, erasures: undefined, deps }), segments);
  }

  /** The changes of a range, in name order; with their names alone if that is enough. */
  async *changes({ from, to }: EncodedNameRange, part: 'keys' | 'all' = 'all'): AsyncGenerator<StoredChange, void, undefined> {
    const archive = this.#open?.archive;
    if (!archive) return;
    const within = this.#segments.filter(({ first }, n) => {
      const next = this.#segments[n + 1]?.first;
      return !(to && compareNames(first, to) >= 0) && !(from && next && compareNames(next, from) <= 0);
    });
    for await (const { segment, leaf } of prefetch(within, leavesAhead, async (one) => ({
      segment: one,
      leaf: await archive.leaf(one, part),
    }))) {
      const start = from ? leaf.lowerBound(from, 0, leaf.count) : 0;
      const end = to ? leaf.lowerBound(to, start, leaf.count) : leaf.count;
      for (let slot = start; slot < end; slot++) yield { segment, leaf, slot };
    }
  }

  close(): void {
    this.#open?.close();
  }
}
