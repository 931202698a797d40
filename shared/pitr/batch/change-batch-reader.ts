/** Reads batches in sequence. Stores and keys are opened once, and small batches are prefetched. */
import { ArchiveError, type ByteSource, type Leaf, readChunk, rereadsMax } from '../../archive/index.ts';
import { type ObjectStore, StorageError, selectAfter } from '../../destination/index.ts';
import { corruptionFailure, JobFailure } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { type ArchiveDeps, isDoubtful, readBackup, streamObject } from '../../stored-backup/index.ts';
import { microsOf, shownMoment } from '../model/micro-time.ts';
import type { BatchRecord } from '../model/record.ts';
import { BatchFolders, batchObjectName, batchObjectOf, once } from './batch-folders.ts';

/** Most batches have a few KB, so that latency dominates: this many are prefetched. */
const ahead = 8;
const smallBytes = 1 << 20;

export interface BatchLeaf {
  readonly batch: Pick<BatchRecord, 'id' | 'partOf' | 'asOf'>;
  readonly leaf: Leaf;
}

/** From when on a change counts, in microseconds: when it was made or, of a correction, when the source had it. */
export const changeTimeOf = ({ batch: { asOf }, leaf }: BatchLeaf, slot: number): number => {
  if (asOf !== undefined) return microsOf(asOf);
  const { seconds, nanos } = leaf.updated(slot);
  return seconds * 1_000_000 + Math.floor(nanos / 1_000);
};

interface BatchKey {
  readonly identity: { readonly organization: string; readonly project: string; readonly backup: string };
  readonly dataKey: Buffer;
}

export class ChangeBatchReader {
  readonly #tenant: Tenant;
  readonly #deps: ArchiveDeps;
  readonly #folders: BatchFolders;
  readonly #keys = new Map<string, Promise<BatchKey>>();

  constructor(tenant: Tenant, deps: ArchiveDeps) {
    this.#tenant = tenant;
    this.#deps = deps;
    this.#folders = new BatchFolders(tenant, deps);
  }

  /** The authenticated leaves of all batches in order. The error of a corrupt batch names it and its time. */
  async *read(batches: readonly BatchRecord[]): AsyncGenerator<BatchLeaf, void, undefined> {
    const coming: { readonly batch: BatchRecord; readonly bytes: Promise<Uint8Array> | undefined }[] = [];
    let next = 0;
    while (coming.length > 0 || next < batches.length) {
      for (let batch = batches[next]; batch && coming.length < ahead; batch = batches[++next]) {
        const bytes = batch.chunk.size <= smallBytes ? this.#whole(batch) : undefined;
        // The error is handled when the batch is read.
        bytes?.catch(() => undefined);
        coming.push({ batch, bytes });
      }
      const first = coming.shift();
      if (first) yield* this.#leaves(first.batch, first.bytes);
    }
  }

  /** Undefined if the object does not exist. */
  async sizeOf(batch: BatchRecord): Promise<number | undefined> {
    const store = await this.#folders.storeOf(batch);
    const name = batchObjectName(batch);
    const size = (await store.head(name))?.size;
    if (size === batch.chunk.size || !(await store.versions?.select(batchObjectOf(batch)))) return size;
    return (await store.head(name))?.size;
  }

  close(): void {
    this.#folders.close();
  }

  /** What fails its check is read again over a new connection, and from the version that was stored, if another one hides it. */
  async *#leaves(batch: BatchRecord, bytes: Promise<Uint8Array> | undefined): AsyncGenerator<BatchLeaf, void, undefined> {
    const own = await this.#folders.storeOf(batch);
    let yielded = 0;
    for (let again = 0; ; again++) {
      const store = again === 0 ? own : ((await own.renew?.()) ?? own);
      let read = 0;
      try {
        if (again > 0) await store.versions?.select(batchObjectOf(batch));
        // What was yielded before was authenticated.
        for await (const leaf of this.#stored(batch, store, again === 0 ? bytes : undefined))
          if (++read > yielded) {
            yielded += 1;
            yield { batch, leaf };
          }
        return;
      } catch (error) {
        const isHidden = await selectAfter(error, own, batchObjectOf(batch));
        if (again >= rereadsMax || !(isHidden || isDoubtful(error))) throw asCorruption(batch, error);
      } finally {
        if (store !== own) store.close();
      }
    }
  }

  async *#stored(
    batch: BatchRecord,
    store: ObjectStore,
    bytes: Promise<Uint8Array> | undefined,
  ): AsyncGenerator<Leaf, void, undefined> {
    const { name, size } = batch.chunk;
    const { identity, dataKey } = await this.#key(batch);
    const source: ByteSource = bytes ? [await bytes] : streamObject(store, { name: batchObjectName(batch), size });
    for await (const { leaf } of readChunk(source, { identity, name, dataKey, entry: batch.chunk })) yield leaf;
  }

  async #whole(batch: BatchRecord): Promise<Uint8Array> {
    return (await this.#folders.storeOf(batch)).get(batchObjectName(batch), { offset: 0, length: batch.chunk.size });
  }

  #key({ keyBackupId }: BatchRecord): Promise<BatchKey> {
    return once(this.#keys, keyBackupId, async () => {
      const keyBackup = await readBackup(this.#tenant, keyBackupId);
      const { organization, project, backup } = keyBackup.archive;
      return { identity: { organization, project, backup }, dataKey: await this.#deps.dataKeyOf(this.#tenant, keyBackup) };
    });
  }
}

/** Names the object and its period, so that it can be found in the bucket. */
export const describeBatch = ({ path, chunk, from, to }: BatchRecord): string =>
  `${path}/${chunk.name}, the changes from ${shownMoment(microsOf(from))} to ${shownMoment(microsOf(to))}`;

const asCorruption = (batch: BatchRecord, cause: unknown): unknown => {
  // The store reports the object's name within the parent folder; replace it by the full one.
  if (cause instanceof JobFailure && cause.code === 'CHUNK_CORRUPT')
    return corruptionFailure(describeBatch(batch), {
      reason: String(cause.details?.reason),
      message: cause.message,
      cause,
    });
  if (cause instanceof ArchiveError)
    return corruptionFailure(describeBatch(batch), { reason: cause.code, message: cause.message, cause });
  if (!(cause instanceof StorageError) || cause.isTransient || cause.bucket) return cause;
  if (cause.code === 'missing')
    return corruptionFailure(describeBatch(batch), { reason: 'missing', message: 'The object is not there', cause });
  return cause.code === 'invalid'
    ? corruptionFailure(describeBatch(batch), { reason: 'size', message: cause.message, cause })
    : cause;
};
