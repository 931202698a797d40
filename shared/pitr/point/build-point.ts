/** Making the archive of a moment: no source is read, and what did not change since the base is not copied. */
import { type ArchiveNotes, type BackupRecord, type Doors, openArchive, storeManifest, withPart } from '../../backup/index.ts';
import type { ObjectStore } from '../../destination/index.ts';
import { JobFailure, type RunControl } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { ChangeBatchReader } from '../batch/change-batch-reader.ts';
import { latestChanges } from './latest-changes.ts';
import { mergeChanges, type PointSink, type PointTally } from './merge-changes.ts';
import type { PointPlan } from './plan-point.ts';

export interface PointRun {
  readonly tenant: Tenant;
  /** What it is to become. */
  readonly backup: BackupRecord;
  readonly plan: PointPlan;
  /** Its folder, which is nobody else's. */
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
  readonly doors: Doors;
  readonly halt: RunControl;
  /** Memory for changes: the more, the fewer times all of them are read. */
  readonly bytesMax?: number;
  /** Asked again and again while it is made; throws where it is wanted no longer. */
  readonly beat?: () => Promise<void>;
}

/** What there is to know of it once all of it is stored, its manifest included. */
export const buildRestorePoint = async (run: PointRun): ReturnType<typeof storeManifest> => {
  const { tenant, backup, plan, store, dataKey, doors } = run;
  const base = await openArchive(tenant, plan.base, undefined, doors);
  const reader = new ChangeBatchReader(tenant, doors);
  try {
    const { manifest } = base.archive;
    const read = async function* () {
      for await (const leaf of reader.read(plan.batches)) {
        await run.beat?.();
        yield leaf;
      }
    };
    const changes = latestChanges({
      read,
      after: plan.point.base.readTime,
      upTo: plan.point.moment,
      ...(run.bytesMax && { bytesMax: run.bytesMax }),
    });
    const notes = await withPart(run, { shard: { number: 0 }, part: 0 }, async (part) => {
      const sink: PointSink = {
        keepSegment: (segment) => part.keepSegment(segment),
        keep: (...record) => part.keep(...record),
        document: (bytes) => part.document(bytes),
        drain: async () => {
          await run.beat?.();
          await part.drain();
        },
      };
      const tally = await mergeChanges(base.archive, changes, sink);
      return notesOf(plan, manifest, tally, await part.finish());
    });
    return await storeManifest(store, backup, databaseOf(manifest.source), notes, dataKey, manifest);
  } finally {
    reader.close();
    base.close();
  }
};

type Listed = { readonly id: string; readonly documents: number };
interface BaseListed {
  readonly counts: { readonly documents: number };
  readonly collections: readonly Listed[];
}
type Stored = Omit<ArchiveNotes['parts'][number], 'number' | 'originalSize' | 'collections'>;

/** Throws unless it has exactly the documents of the base, without those that are gone, and with those that are new. */
const notesOf = (
  { base, point }: PointPlan,
  { counts, collections }: BaseListed,
  tally: PointTally,
  stored: Stored | undefined,
): ArchiveNotes => {
  const documents = counts.documents + tally.added - tally.removed;
  if ((stored?.records ?? 0) !== documents)
    throw new JobFailure('COUNT_MISMATCH', 'The moment has another number of documents than its backup and its changes say', {
      expected: documents,
      found: stored?.records ?? 0,
    });
  const shards = [{ number: 0, range: '{}', ...(base.countVerified === false && { countVerified: false }) }];
  if (!stored) return { shards, parts: [] };
  const listed = collections.map(({ id, documents: count }) => [id, count + (tally.collections.get(id) ?? 0)] as const);
  const known = new Set(collections.map(({ id }) => id));
  const added = [...tally.collections].filter(([id]) => !known.has(id));
  return {
    shards,
    parts: [
      {
        ...stored,
        number: 0,
        originalSize: sizeOf(base, tally),
        // Of one that may lack collections, those that are known and empty are listed, too.
        collections: JSON.stringify([...listed, ...added].filter(([, count]) => count > 0 || point.isUnchecked)),
      },
    ],
  };
};

/** About: what was replaced is taken to have been as large as what it was replaced by, and what is gone to have been like the others. */
const sizeOf = ({ originalSize, documentCount }: BackupRecord, { addedBytes, removed }: PointTally): number =>
  Math.max(0, Math.round(originalSize + addedBytes - (removed * originalSize) / Math.max(1, documentCount)));

/** `projects/…/databases/…` */
const databaseOf = (source: string) => {
  const [, sourceProjectId = '', , databaseId = ''] = source.split('/');
  return { sourceProjectId, databaseId };
};
