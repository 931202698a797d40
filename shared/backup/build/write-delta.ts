/** Sorts the changes since a base once, and stores them in the backup: shards seek in them, and its index refers to them. */
import {
  ChunkWriter,
  DocumentSkim,
  type FilterSource,
  filterName,
  objectName,
  parseMoment,
  recordKind,
  type Segment,
} from '../../archive/index.ts';
import { readDestination } from '../../destination/index.ts';
import { JobFailure, type RunControl } from '../../job/index.ts';
import {
  after,
  commit,
  epochSeconds,
  freeBuffers,
  omitUndefined,
  secureRandomBytes,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  backupKey,
  type DocumentChange,
  deltaNumber,
  finishFilter,
  LazyUpload,
  objectLockOf,
  type ShardRecord,
  type StoredDelta,
  writerOptions,
} from '../../stored-backup/index.ts';
import { checkRunningBackup } from '../model/running-backup.ts';
import { deltaPages } from './delta.ts';

interface DeltaRun {
  readonly backup: BackupRecord;
  readonly planNumber: number;
  readonly changes: AsyncIterable<DocumentChange>;
  /** Changes up to here are in the base; in microseconds. */
  readonly since: number;
  /** The time of tombstones. */
  readonly moment: string;
  /** Fails after that. */
  readonly until: Date;
  readonly filter: FilterSource | undefined;
  readonly deps: BackupDeps;
  readonly control: RunControl;
}

/** Work items are deleted when the backup ends; this expires those that could not be. */
const workItemSeconds = 30 * 24 * 3_600;
const bufferedBytes = 1 << 20;
const checkEvery = 256;
/** A transaction has at most 4 MB. */
const pagesPerCommit = 20;

/** Undefined if nothing has changed. */
export const writeDelta = async (tenant: Tenant, run: DeltaRun): Promise<StoredDelta | undefined> => {
  const { backup, planNumber, deps } = run;
  const isCurrent = checkRunningBackup(tenant, backup.id, { planNumber, shards: undefined });
  const ttl = epochSeconds(after(deps.clock.now(), workItemSeconds));
  await commit([{ put: claimOf(tenant, { backup, planNumber, ttl }) }, isCurrent]);
  const { delta, segments } = await store(tenant, run);
  if (!delta) return undefined;
  const pages = deltaPages(segments).map(
    (page, n): Write => ({ put: { ...backupKey.deltaPage(tenant, backup.id, { planNumber, page: n }), page, ttl } }),
  );
  for (let start = 0; start < pages.length; start += pagesPerCommit)
    await commit([...pages.slice(start, start + pagesPerCommit), isCurrent]);
  return delta;
};

/** Names the upload, so that one that a crash leaves is found. Its number is that of no shard of a plan. */
const claimOf = (
  tenant: Tenant,
  { backup, planNumber, ttl }: { readonly backup: BackupRecord; readonly planNumber: number; readonly ttl: number },
): ShardRecord => ({
  ...backupKey.shard(tenant, backup.id, deltaNumber),
  number: deltaNumber,
  parts: planNumber + 1,
  isDone: false,
  documents: 0,
  counted: 0,
  reads: 0,
  ttl,
});

interface Stored {
  readonly delta: StoredDelta | undefined;
  /** One for each leaf. */
  readonly segments: readonly Segment[];
}

const store = async (
  tenant: Tenant,
  { backup, planNumber, changes, since, moment, until, filter, deps, control }: DeltaRun,
): Promise<Stored> => {
  const { clock } = deps;
  const [destination, dataKey] = await Promise.all([
    readDestination(tenant, backup.storageDestination.id),
    deps.dataKeyOf(tenant, backup),
  ]);
  const folder = await deps.openStore(tenant, destination, backup.path);
  const name = objectName('chunk', deltaNumber, planNumber);
  const put = { ...objectLockOf(backup), signal: control.storing };
  const [upload, filterUpload] = [new LazyUpload(folder, name, put), new LazyUpload(folder, filterName(name), put)];
  const writer = new DeltaWriter(name, { identity: backup.archive, dataKey, filter, deleted: parseMoment(moment) });
  try {
    let n = 0;
    for await (const change of changes) {
      if (n++ % checkEvery === 0) {
        control.check();
        if (clock.now() >= until)
          throw new JobFailure('INTERNAL_ERROR', 'the captured changes could not be sorted in the time of the planning step');
      }
      if (change.at > since) writer.add(change);
      if (writer.chunk.pendingBytes < bufferedBytes) continue;
      await upload.write(writer.chunk.take());
      if (writer.chunk.pendingFilterBytes > 0) await filterUpload.write(writer.chunk.takeFilter());
      freeBuffers();
    }
    if (writer.records === 0) return { delta: undefined, segments: [] };
    const chunk = writer.chunk.finish();
    const entry = writer.chunk.finishFilter(chunk);
    const checksum = await upload.finish(writer.chunk.take(), chunk.size);
    const filterChecksum = await finishFilter(filterUpload, entry, writer.chunk.takeFilter());
    return { delta: { chunk, ...omitUndefined({ checksum, filter: entry, filterChecksum }) }, segments: writer.segments };
  } catch (error) {
    await Promise.allSettled([upload.abort(), filterUpload.abort()]);
    throw control.explain(error) ?? error;
  } finally {
    folder.close();
  }
};

class DeltaWriter {
  readonly chunk: ChunkWriter;
  readonly segments: Segment[] = [];
  records = 0;
  readonly #marks = new DocumentSkim();
  readonly #deleted: { readonly updatedSeconds: number; readonly updatedNanos: number };
  /** The first name of the current leaf. */
  #first = Buffer.alloc(0);

  constructor(
    name: string,
    {
      identity,
      dataKey,
      filter,
      deleted: { seconds, nanos },
    }: {
      readonly identity: BackupRecord['archive'];
      readonly dataKey: Buffer;
      readonly filter: FilterSource | undefined;
      readonly deleted: ReturnType<typeof parseMoment>;
    },
  ) {
    this.#deleted = { updatedSeconds: seconds, updatedNanos: nanos };
    this.chunk = new ChunkWriter(name, {
      ...writerOptions,
      identity,
      dataKey,
      filter,
      random: secureRandomBytes,
      onLeaf: (leaf) => this.segments.push({ ...leaf, start: 0, count: leaf.records, first: this.#first }),
    });
  }

  add({ name, content }: DocumentChange): void {
    const slot = content ? this.#document(content) : this.#tombstone(name);
    if (slot === 0) this.#first = Buffer.from(name);
    this.records += 1;
  }

  #document(content: Buffer): number {
    this.#marks.read(content, 0, content.length);
    return this.chunk.document(content, 0, content.length, this.#marks);
  }

  #tombstone(name: Buffer): number {
    const marks = { nameStart: 0, nameEnd: name.length, createdSeconds: 0, createdNanos: 0, ...this.#deleted };
    return this.chunk.record(recordKind.tombstone, name, marks, 0, 0);
  }
}
