/** Copies a range of a backup that is built from a base and the changes since, without reading or compressing what has not changed. */
import { parseMoment } from '../../archive/index.ts';
import { type ErasureFilter, justAfter, type NameRange } from '../../firestore/index.ts';
import { throwAsUploadError } from '../../job/index.ts';
import { archiveRanges, type PartWriter, withPart } from '../../stored-backup/index.ts';
import type { Delta } from '../build/delta.ts';
import { DeltaMerge } from '../build/merge-delta.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';
import { listedBytesMax, partBytesMax } from './copy-documents.ts';
import { type CopyRun, withCopyHeartbeat } from './copy-run.ts';
import { type Claim, checkpointShard, type PartResult, type ShardProgress } from './shard-progress.ts';

export interface BuildRun extends Omit<CopyRun, 'reading' | 'parent'> {
  readonly base: ParentArchive;
  readonly delta: Delta;
  /** What is erased: no leaf that has some of it is copied. */
  readonly erasures: ErasureFilter | undefined;
}

/** True if the range is done. */
export const copyBuilt = (run: BuildRun, claim: Claim): Promise<boolean> =>
  withPart(run, claim, async (part) => {
    const { base, control } = run;
    const { shard } = claim;
    const merge = mergeOf(run, claim, part);
    const progress = (): ShardProgress => ({ documents: shard.documents + merge.documents, reads: shard.reads });
    const isDone = await withCopyHeartbeat(run, { claim, work: () => base.read(() => merge.run()), progress });
    const last = await base.read(() => merge.lastName());
    const isListed = merge.collections.size > 0 || merge.bytes !== 0;
    const stored = await withCopyHeartbeat(run, { claim, work: () => part.finish({ isListed }) });
    control.check();
    const { difference, bytes, collections, tally } = merge;
    const result: PartResult = {
      isDone,
      ...(isDone && { countVerified: base.backup.countVerified === true }),
      ...(last !== undefined && { after: last }),
      ...(stored && {
        part: {
          ...stored,
          originalSize: bytes,
          collections: JSON.stringify([...collections]),
          statistics: tally.encode(),
          difference,
          isRelative: true,
        },
      }),
    };
    await checkpointShard(run, { claim, progress: progress(), result });
    return isDone;
  });

const mergeOf = ({ backup, base, delta, erasures, control }: BuildRun, { shard }: Claim, part: PartWriter): DeltaMerge => {
  const { archive } = base;
  const range = JSON.parse(shard.range ?? '{}') as NameRange;
  const after = shard.after === undefined ? undefined : (JSON.parse(shard.after) as string);
  const rest = after === undefined ? range : { ...range, from: justAfter(after.slice(archive.documentsRoot.length)) };
  const [within = {}] = archiveRanges(archive, [rest]);
  const { comparedWith, readTime, parentBackupId } = backup;
  const merge = new DeltaMerge({
    archive,
    range: within,
    changes: delta.changes(within, 'keys'),
    joined: delta.changes(within),
    copies: parentBackupId === null,
    erasures,
    readTime,
    part,
    comparedWith: comparedWith && parseMoment(comparedWith.readTime),
    pause: async () => {
      // An error of the base is another one.
      await part.drain().catch(throwAsUploadError);
      control.check();
      return part.listedBytes >= listedBytesMax || merge.copiedBytes >= partBytesMax || control.isYielding;
    },
  });
  return merge;
};
