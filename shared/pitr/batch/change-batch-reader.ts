/** Reads batches in sequence. Stores and keys are opened once, and small batches are prefetched. */
import { ArchiveError, type ByteSource, type Leaf, readChunk } from '../../archive/index.ts';
import { type ArchiveDeps, readBackup, streamObject } from '../../backup/index.ts';
import { type ObjectStore, readDestination, StorageError } from '../../destination/index.ts';
import { corruptionFailure, JobFailure } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { microsOf, shownMoment } from '../model/micro-time.ts';
import type { BatchRecord } from '../model/record.ts';

/** Most batches have a few KB, so that latency dominates: this many are prefetched. */
const ahead = 8;
const smallBytes = 1 << 20;

export interface BatchLeaf {
  readonly batch: Pick<BatchRecord, 'id'>;
  readonly leaf: Leaf;
}

interface BatchKey {
  readonly identity: { readonly organization: string; readonly project: string; readonly backup: string };
  readonly dataKey: Buffer;
}

export class ChangeBatchReader {
  readonly #tenant: Tenant;
  readonly #deps: ArchiveDeps;
  readonly #stores = new Map<string, Promise<ObjectStore>>();
  readonly #keys = new Map<string, Promise<BatchKey>>();

  constructor(tenant: Tenant, deps: ArchiveDeps) {
    this.#tenant = tenant;
    this.#deps = deps;
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
    return (await (await this.#store(batch)).head(nameOf(batch)))?.size;
  }

  close(): void {
    for (const store of this.#stores.values()) store.then((one) => one.close()).catch(() => undefined);
  }

  async *#leaves(batch: BatchRecord, bytes: Promise<Uint8Array> | undefined): AsyncGenerator<BatchLeaf, void, undefined> {
    const { name, size } = batch.chunk;
    try {
      const { identity, dataKey } = await this.#key(batch);
      const source: ByteSource = bytes ? [await bytes] : streamObject(await this.#store(batch), { name: nameOf(batch), size });
      for await (const { leaf } of readChunk(source, { identity, name, dataKey, entry: batch.chunk })) yield { batch, leaf };
    } catch (error) {
      throw asCorruption(batch, error);
    }
  }

  async #whole(batch: BatchRecord): Promise<Uint8Array> {
    return (await this.#store(batch)).get(nameOf(batch), { offset: 0, length: batch.chunk.size });
  }

  /** Opens the parent folder, which all batches of a project share. */
  #store(batch: BatchRecord): Promise<ObjectStore> {
    return once(this.#stores, `${batch.storageDestinationId} ${folderOf(batch)}`, async () => {
      const destination = await readDestination(this.#tenant, batch.storageDestinationId);
      return this.#deps.openStore(this.#tenant, destination, folderOf(batch));
    });
  }

  #key({ keyBackupId }: BatchRecord): Promise<BatchKey> {
    return once(this.#keys, keyBackupId, async () => {
      const keyBackup = await readBackup(this.#tenant, keyBackupId);
      const { organization, project, backup } = keyBackup.archive;
      return { identity: { organization, project, backup }, dataKey: await this.#deps.dataKeyOf(this.#tenant, keyBackup) };
    });
  }
}

/** A failure is not remembered. */
const once = <T>(known: Map<string, Promise<T>>, key: string, open: () => Promise<T>): Promise<T> => {
  const opened = known.get(key) ?? open();
  known.set(key, opened);
  opened.catch(() => known.delete(key));
  return opened;
};

const folderOf = ({ path }: BatchRecord): string => path.slice(0, path.lastIndexOf('/'));
const nameOf = ({ path, chunk }: BatchRecord): string => `${path.slice(path.lastIndexOf('/') + 1)}/${chunk.name}`;

/** Names the object and its period, so that it can be found in the bucket. */
export const describeBatch = ({ path, chunk, from, to }: BatchRecord): string =>
  `${path}/${chunk.name}, the changes from ${shownMoment(microsOf(from))} to ${shownMoment(microsOf(to))}`;

const asCorruption = (batch: BatchRecord, cause: unknown): unknown => {
  // The store reports the object's name within the parent folder; replace it by the full one.
  if (cause instanceof JobFailure && cause.code === 'CHUNK_CORRUPT')
    return corruptionFailure(describeBatch(batch), String(cause.details?.reason), cause.message, { cause });
  if (cause instanceof ArchiveError) return corruptionFailure(describeBatch(batch), cause.code, cause.message, { cause });
  if (!(cause instanceof StorageError) || cause.isTransient || cause.bucket) return cause;
  if (cause.code === 'missing') return corruptionFailure(describeBatch(batch), 'missing', 'The object is not there', { cause });
  return cause.code === 'invalid' ? corruptionFailure(describeBatch(batch), 'size', cause.message, { cause }) : cause;
};
