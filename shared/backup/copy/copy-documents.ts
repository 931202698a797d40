/** Copies the documents of a range: from the source's stream into a part, counted and kept in one transaction. */

import { parseMoment } from '../../archive/index.ts';
import { type NameRange, type RangeReader, readRange, SourceError, verifyCount } from '../../firestore/index.ts';
import { failureOf, Heartbeat, JobFailure } from '../../job/index.ts';
import { walk } from '../../platform/index.ts';
import { backupKey, type PartRecord } from '../model/record.ts';
import { readLimitExceeded } from '../steps/plan-backup.ts';
import { beatOf, type CopyRun, withPart } from './copy-run.ts';
import { ParentComparison } from './parent-comparison.ts';
import type { PartWriter } from './part-writer.ts';
import { type Claim, checkpointShard, type PartResult, type ShardProgress } from './shard-progress.ts';

/**
 * A part ends here even if its range goes on: a failure costs no more than this to read again, and what is written down of a
 * part (its pages, its collections) stays well below the 400 KB of an item.
 */
export const partBytesMax = 1 << 30;
const collectionBytesMax = 64 << 10;
/** Where every other document has changed, each is a line of the index. */
const listedBytesMax = 128 << 10;
/** The service gives a query 60 s; what is kept back of a worker's time (functions/backup/copy.ts) is more. */
const countMs = 60_000;

/** True if the range is done. */
export const copyDocuments = (run: CopyRun, claim: Claim): Promise<boolean> =>
  withPart(run, claim, async (part) => {
    const { context, backup, deps, source, control } = run;
    const { shard } = claim;
    const range = JSON.parse(shard.range ?? '{}') as NameRange;
    const after = shard.after === undefined ? undefined : (JSON.parse(shard.after) as string);
    const readTime = backup.readTime ?? '';
    const reader = readRange(source, { range, readTime, after, signal: control.reading, collectionBytesMax });
    const parent = await run.parent();
    const comparison = parent && new ParentComparison(parent, { range, after, readTime: parseMoment(readTime) }, part, control);
    const standing = (moreReads = 0): ShardProgress => ({
      documents: shard.documents + reader.documents,
      reads: shard.reads + reader.reads + moreReads,
    });
    let told = shard.counted;
    const report = async (): Promise<void> => {
      const now = standing();
      await checkpointShard(context, backup.id, claim, now, deps.clock);
      told = Math.max(told, now.documents);
    };
    const unreported = (): number => standing().documents - told;
    const heartbeat = new Heartbeat({ ...beatOf(run), unreported, report });
    const isExhausted = await fill(run, reader, part, range, comparison).finally(async () => {
      await Promise.all([heartbeat.stop(), comparison?.close()]);
    });
    const counting = isExhausted ? count(run, claim, reader) : undefined;
    counting?.catch(() => undefined);
    const stored = await part.finish();
    const counted = await counting;
    control.check();
    // Behind all that the source has the parent may have more.
    const last = comparison?.lastDeleted ?? reader.lastName;
    const isCounted = counted !== undefined && !(counted instanceof SourceError);
    const ending: PartResult = {
      isDone: isCounted,
      ...(isCounted && { countVerified: counted.countVerified }),
      ...(last !== undefined && { after: last }),
      ...(stored && {
        part: { ...stored, originalSize: reader.bytes, collections: JSON.stringify([...reader.collections]) },
      }),
    };
    await checkpointShard(context, backup.id, claim, standing(isCounted ? counted.reads : 0), deps.clock, ending);
    if (counted instanceof SourceError) throw counted;
    return isExhausted;
  });

/** True if the range has nothing more; false if the part is full or the worker's time nearly over. */
const fill = async (
  { backup, control }: CopyRun,
  reader: RangeReader,
  part: PartWriter,
  range: NameRange,
  comparison: ParentComparison | undefined,
): Promise<boolean> => {
  const readsLeft = (backup.maxReads ?? Number.POSITIVE_INFINITY) - backup.reads;
  try {
    for await (const batch of reader) {
      if (comparison) await comparison.documents(batch);
      else part.documents(batch);
      await part.drain();
      control.check();
      if (reader.reads > readsLeft) throw readLimitExceeded(backup.maxReads ?? 0, backup.reads + reader.reads);
      if (reader.bytes >= partBytesMax || part.listedBytes >= listedBytesMax || control.isYielding) return false;
    }
    return !reader.isFull && ((await comparison?.rest()) ?? true);
  } catch (error) {
    const meaning = control.explain(error);
    if (meaning !== undefined) throw placed(meaning, range);
    return false;
  }
};

/** A source that refuses is told of with where it did so: the root collections between which the range lies. */
const placed = (error: unknown, { from, to }: NameRange): unknown => {
  const failure = error instanceof SourceError ? failureOf(error) : undefined;
  if (!failure) return error;
  const rootOf = (name: string | undefined): string | null => name?.split('/')[0]?.replace('\0', '') ?? null;
  const { code, message } = failure;
  return new JobFailure(code, message, { fromCollection: rootOf(from), toCollection: rootOf(to) }, { cause: error });
};

/**
 * The source's own count of the whole range, whatever runs and parts it was read in. An answer that may come later is given as
 * the error: what was read is kept, and only the count is asked for again.
 */
const count = async ({ context, backup, source, control }: CopyRun, { shard }: Claim, reader: RangeReader) => {
  const range = JSON.parse(shard.range ?? '{}') as NameRange;
  const read = shard.documents + reader.documents;
  const earlier = shard.documents > 0 ? await collectionsOf(context.tenant, backup.id, shard.number) : [];
  const collectionIds = [...reader.collections.keys(), ...earlier];
  const signal = AbortSignal.any([control.storing, AbortSignal.timeout(countMs)]);
  try {
    return await verifyCount(source, { range, readTime: backup.readTime ?? '', read, collectionIds, signal });
  } catch (error) {
    const isLate = error instanceof SourceError && (error.isTransient || error.code === 'CANCELLED');
    if (isLate && !control.storing.aborted)
      return new SourceError('INTERNAL_ERROR', 'The source did not count its documents in time.', { isTransient: true });
    throw error;
  }
};

/** The ids that earlier parts of the range found: a source that counts one group at a time is asked for these too. */
const collectionsOf = async (
  tenant: CopyRun['context']['tenant'],
  backupId: string,
  number: number,
): Promise<readonly string[]> => {
  const { pk, sk } = backupKey.part(tenant, backupId, number, 0);
  const ids: string[] = [];
  for await (const part of walk<PartRecord>({ pk, prefix: sk.slice(0, sk.lastIndexOf('#') + 1) }))
    for (const [id] of JSON.parse(part.collections) as readonly (readonly [string, number])[]) ids.push(id);
  return ids;
};
