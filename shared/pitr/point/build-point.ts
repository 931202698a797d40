/** Builds the archive of a moment from a base and batches. It does not read the source, nor copy records unchanged since the base. */
import type { Manifest } from '../../archive/index.ts';
import type { ObjectStore } from '../../destination/index.ts';
import { JobFailure, type RunControl } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import {
  type ArchiveDeps,
  type ArchiveParts,
  type BackupRecord,
  openRawArchive,
  withPart,
  writeManifest,
} from '../../stored-backup/index.ts';
import { ChangeBatchReader } from '../batch/change-batch-reader.ts';
import { latestChanges } from './latest-changes.ts';
import { mergeChanges, type PointSink, type PointTally } from './merge-changes.ts';
import type { PointPlan } from './plan-point.ts';

interface PointRun {
  readonly tenant: Tenant;
  /** The backup to build. */
  readonly backup: BackupRecord;
  readonly plan: PointPlan;
  /** Its own folder. */
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
  readonly deps: ArchiveDeps;
  readonly control: RunControl;
  /** Memory for changes: with less, the batches are read more often. */
  readonly bytesMax?: number;
  /** Called regularly while it is built; throws to stop. */
  readonly beat?: () => Promise<void>;
}

/** Resolves when all objects are stored, with the manifest. */
export const buildRestorePoint = async (run: PointRun): ReturnType<typeof writeManifest> => {
  const { tenant, backup, plan, store, dataKey, deps } = run;
  const base = await openRawArchive(tenant, { backup: plan.base, deps });
  const reader = new ChangeBatchReader(tenant, deps);
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
    const notes = await withPart({ ...run, control: run.control }, { shard: { number: 0 }, part: 0 }, async (part) => {
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
      return notesOf(plan, { manifest, tally, stored: await part.finish() });
    });
    return await writeManifest(store, { backup, project: databaseOf(manifest.source), parts: notes, dataKey, parent: manifest });
  } finally {
    reader.close();
    base.close();
  }
};

type Stored = Omit<ArchiveParts['parts'][number], 'number' | 'originalSize' | 'collections'>;

/** Throws unless the number of documents is that of the base, minus deleted, plus created ones. */
const notesOf = (
  { base, point }: PointPlan,
  {
    manifest: { counts, collections },
    tally,
    stored,
  }: {
    readonly manifest: Pick<Manifest, 'counts' | 'collections'>;
    readonly tally: PointTally;
    readonly stored: Stored | undefined;
  },
): ArchiveParts => {
  const documents = counts.documents + tally.added - tally.removed;
  if ((stored?.records ?? 0) !== documents)
    throw new JobFailure('COUNT_MISMATCH', 'The restore point has another number of documents than its base and changes imply', {
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
        // If collections may be missing, known empty ones are listed, too.
        collections: JSON.stringify([...listed, ...added].filter(([, count]) => count > 0 || point.isUnchecked)),
      },
    ],
  };
};

/** Estimate: replaced documents keep their size, and deleted ones have the average size. */
const sizeOf = ({ originalSize, documentCount }: BackupRecord, { addedBytes, removed }: PointTally): number =>
  Math.max(0, Math.round(originalSize + addedBytes - (removed * originalSize) / Math.max(1, documentCount)));

/** `projects/…/databases/…` */
const databaseOf = (source: string) => {
  const [, sourceProjectId = '', , databaseId = ''] = source.split('/');
  return { sourceProjectId, databaseId };
};
