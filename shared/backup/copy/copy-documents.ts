/** Copies the documents of a range into a part, and records the part in one transaction. */
import { ChangeTally } from '../../anomaly/index.ts';
import { parseMoment } from '../../archive/index.ts';
import { type DocumentRange, type NameRange, SourceError } from '../../firestore/index.ts';
import { failureOf, JobFailure } from '../../job/index.ts';
import { walk } from '../../platform/index.ts';
import { backupKey, type PartRecord, type PartWriter, withPart } from '../../stored-backup/index.ts';
import { ParentComparison, type SourceBatches } from '../incremental/parent-comparison.ts';
import { readLimitExceeded } from '../steps/plan-backup.ts';
import { type CopyRun, withCopyHeartbeat } from './copy-run.ts';
import { type Claim, checkpointShard, type PartResult, type ShardProgress } from './shard-progress.ts';

/**
 * Size limit of a part. A failure costs at most this much to read again, and the item of a part (its pages and collections) stays
 * well below 400 KB.
 */
export const partBytesMax = 1 << 30;
export const collectionBytesMax = 64 << 10;
/** If every other document has changed, each is an entry of the index. */
export const listedBytesMax = 128 << 10;
/** Firestore limits a query to 60 s; functions/backup/workflow.ts reserves more than that. */
const countMs = 60_000;

/** True if the range is done. */
export const copyDocuments = (run: CopyRun, claim: Claim): Promise<boolean> =>
  withPart(run, claim, async (part) => {
    const { backup, reading, control } = run;
    const { shard } = claim;
    const range = JSON.parse(shard.range ?? '{}') as NameRange;
    const after = shard.after === undefined ? undefined : (JSON.parse(shard.after) as string);
    const { readTime } = backup;
    const reader = reading.read({ range, after, signal: control.reading, collectionBytesMax });
    const { comparedWith } = backup;
    const tally = new ChangeTally(comparedWith && parseMoment(comparedWith.readTime));
    const parent = await run.parent();
    const compared = { range, after, readTime: parseMoment(readTime) };
    const comparison = parent && new ParentComparison(parent, compared, { writer: part, control });
    const progress = (moreReads = 0): ShardProgress => ({
      documents: shard.documents + reader.documents,
      reads: shard.reads + reader.reads + moreReads,
    });
    const copy = () => fill(run, { reader, part, range, comparison, tally }).finally(() => comparison?.close());
    const isExhausted = await withCopyHeartbeat(run, { claim, work: copy, progress });
    const counting = isExhausted ? count(run, claim, reader) : undefined;
    counting?.catch(() => undefined);
    const [stored, counted] = await withCopyHeartbeat(run, {
      claim,
      work: async () => [await part.finish({ isListed: (reader.difference ?? 0) !== 0 }), await counting] as const,
    });
    control.check();
    // The parent may have documents after the last one of the source.
    const last = comparison?.lastDeleted ?? reader.lastName;
    const isCounted = counted !== undefined && !(counted instanceof SourceError);
    const result: PartResult = {
      isDone: isCounted,
      ...(isCounted && { countVerified: counted.countVerified }),
      ...(last !== undefined && { after: last }),
      ...(stored && {
        part: {
          ...stored,
          originalSize: reader.bytes,
          collections: JSON.stringify([...reader.collections]),
          statistics: tally.encode(),
          ...(reader.difference !== undefined && { difference: reader.difference }),
        },
      }),
    };
    await checkpointShard(run, { claim, progress: progress(isCounted ? counted.reads : 0), result });
    if (counted instanceof SourceError) throw counted;
    return isExhausted;
  });

interface Filling {
  readonly reader: DocumentRange;
  readonly part: PartWriter;
  readonly range: NameRange;
  readonly comparison: ParentComparison | undefined;
  readonly tally: ChangeTally;
}

/** True if the range is exhausted; false if the part is full or the worker's time is nearly over. */
const fill = async (run: CopyRun, filling: Filling): Promise<boolean> => {
  const { part, range, comparison } = filling;
  const batches = batchesFor(run, filling);
  try {
    if (comparison) return await comparison.run(batches);
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) part.documents(next.value);
    return next.value;
  } catch (error) {
    const cause = run.control.explain(error);
    if (cause !== undefined) throw withRange(cause, range);
    return false;
  } finally {
    await batches.return(false);
  }
};

/** The batches of the source, until it is exhausted, the part is full or the worker's time is nearly over. */
async function* batchesFor({ backup, control }: CopyRun, { reader, part, tally }: Filling): SourceBatches {
  const remainingReads = (backup.maxReads ?? Number.POSITIVE_INFINITY) - backup.reads;
  for await (const batch of reader) {
    tally.observeAll(batch);
    yield batch;
    await part.drain();
    control.check();
    if (reader.reads > remainingReads) throw readLimitExceeded(backup.maxReads ?? 0, backup.reads + reader.reads);
    if (reader.bytes >= partBytesMax || part.listedBytes >= listedBytesMax || control.isYielding) return false;
  }
  return !reader.isFull;
}

/** Adds the root collections between which the range lies to a failure of the source. */
const withRange = (error: unknown, { from, to }: NameRange): unknown => {
  const failure = error instanceof SourceError ? failureOf(error) : undefined;
  if (!failure) return error;
  const rootCollection = (name: string | undefined): string | null => name?.split('/')[0]?.replace('\0', '') ?? null;
  const { code, message } = failure;
  return new JobFailure(
    code,
    message,
    { fromCollection: rootCollection(from), toCollection: rootCollection(to) },
    { cause: error },
  );
};

/**
 * Compares with the source's own count of the whole range, across all runs and parts. A transient error is returned instead of
 * thrown: the part is kept, and only the count is repeated.
 */
const count = async ({ context, backup, reading, control }: CopyRun, { shard }: Claim, reader: DocumentRange) => {
  const range = JSON.parse(shard.range ?? '{}') as NameRange;
  const read = shard.documents + reader.documents;
  const earlier = shard.documents > 0 ? await collectionsOf(context.tenant, backup.id, shard.number) : [];
  const collectionIds = [...reader.collections.keys(), ...earlier];
  const signal = AbortSignal.any([control.storing, AbortSignal.timeout(countMs)]);
  try {
    return await reading.count({ range, read, collectionIds, signal });
  } catch (error) {
    const isLate = error instanceof SourceError && (error.isTransient || error.code === 'CANCELLED');
    if (isLate && !control.storing.aborted)
      return new SourceError('INTERNAL_ERROR', 'The source did not count its documents in time.', { isTransient: true });
    throw error;
  }
};

/** The collection ids that earlier parts of the range found; some sources count one collection group at a time. */
const collectionsOf = async (
  tenant: CopyRun['context']['tenant'],
  backupId: string,
  number: number,
): Promise<readonly string[]> => {
  const { pk, sk } = backupKey.part(tenant, backupId, { number, part: 0 });
  const ids: string[] = [];
  for await (const part of walk<PartRecord>({ pk, prefix: sk.slice(0, sk.lastIndexOf('#') + 1) }))
    for (const [id] of JSON.parse(part.collections) as readonly (readonly [string, number])[]) ids.push(id);
  return ids;
};
