import {
  isOutcomeUnknown,
  type ObjectStore,
  type PutOptions,
  StorageError,
  type Upload,
  type UploadedObject,
} from '../object-store.ts';
import { PartBuffer } from '../part-buffer.ts';
import { retryTransient } from '../retry-transient.ts';
import { abortUpload, abortUploads } from './abort-uploads.ts';
import { checksumOf, checksumOfParts, confirmsAll, type Digest, digestFields, digestOf, sendConfirmed } from './checksum.ts';
import { objectInfo, type S3Bucket } from './s3-bucket.ts';
import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, UploadPartCommand } from './s3-library.ts';

interface Part {
  readonly number: number;
  readonly tag: string;
  readonly digest: Digest;
}

/** Stores an upload that fits in one part as a whole. */
type SmallObjectStore = Pick<ObjectStore, 'put' | 'remove'> & { readonly bucket: S3Bucket };

/** Concurrent parts: enough to fill a connection of 1 Gbit/s at 200 ms, with 32 MiB in memory. */
const maxConcurrentParts = 4;
const maxParts = 10_000;

/** A multipart upload that starts with the first full part. Smaller objects are stored in one request. */
export class S3Upload implements Upload {
  readonly #store: SmallObjectStore;
  readonly #bucket: S3Bucket;
  readonly #name: string;
  readonly #object: { readonly Bucket: string; readonly Key: string };
  readonly #options: PutOptions;
  readonly #buffer: PartBuffer;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #parts: Part[] = [];
  readonly #abortController = new AbortController();
  readonly #signal: AbortSignal;
  #id: Promise<string> | undefined;
  #lastPart = 0;
  #starts = 0;
  #size = 0;
  #failure: unknown;
  #state: 'open' | 'completing' | 'finished' | 'aborted' = 'open';

  constructor(store: SmallObjectStore, name: string, options: PutOptions) {
    this.#store = store;
    this.#bucket = store.bucket;
    this.#name = name;
    this.#object = { Bucket: store.bucket.options.bucket, Key: store.bucket.key(name) };
    this.#options = options;
    this.#buffer = new PartBuffer(store.bucket.options.partBytes);
    this.#signal = options.signal
      ? AbortSignal.any([options.signal, this.#abortController.signal])
      : this.#abortController.signal;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    this.#check();
    for (const part of this.#buffer.add(pieces)) {
      this.#send(part);
      while (this.#inFlight.size >= maxConcurrentParts) await Promise.race(this.#inFlight);
      this.#check();
    }
  }

  async finish(): Promise<UploadedObject> {
    this.#check();
    const { digest } = this.#bucket.options;
    let checksum: string;
    try {
      const rest = this.#buffer.rest();
      if (this.#id === undefined) {
        this.#size = rest.length;
        this.#state = 'completing';
        checksum = checksumOf(digestOf(digest, rest));
        await this.#store.put(this.#name, rest, this.#options);
      } else {
        if (rest.length > 0) this.#send(rest);
        await Promise.all(this.#inFlight);
        this.#check();
        this.#state = 'completing';
        await this.#complete(await this.#id);
        const digests = this.#parts.map((part) => part.digest);
        checksum = checksumOfParts(digest, digests);
      }
    } catch (error) {
      this.#failure ??= error;
      // An upload that cannot be aborted is left to `abortUnfinishedUploads`; the caller gets the original error.
      await this.abort().catch(() => {});
      throw error;
    }
    await this.#abortUnknownUploads(this.#id !== undefined);
    this.#state = 'finished';
    return { size: this.#size, checksum };
  }

  async abort(): Promise<void> {
    if (this.#state === 'finished' || this.#state === 'aborted') return;
    const wasCompleting = this.#state === 'completing';
    this.#abortController.abort(new StorageError('invalid', 'The upload has ended.'));
    // A part that arrives after the abort would stay behind.
    await Promise.allSettled(this.#inFlight);
    const id = await this.#id?.catch(() => undefined);
    // The object may exist although its completion was not confirmed. A rejected request created nothing.
    const mayExist =
      id === undefined
        ? isOutcomeUnknown(this.#failure)
        : (await abortUpload(this.#bucket, { key: this.#object.Key, uploadId: id })) === 'gone';
    if (wasCompleting && mayExist) await this.#store.remove([this.#name]);
    await this.#abortUnknownUploads(id !== undefined);
    this.#state = 'aborted';
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#state !== 'open') throw new StorageError('invalid', 'The upload has ended.');
  }

  #send(body: Buffer): void {
    this.#size += body.length;
    const number = ++this.#lastPart;
    const sending = this.#sendPart(number, body)
      .catch((error: unknown) => {
        this.#failure ??= error;
        this.#abortController.abort(error);
      })
      .finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
  }

  async #sendPart(number: number, body: Buffer): Promise<void> {
    if (number > maxParts) throw new StorageError('invalid', `The object is too large: an upload has at most ${maxParts} parts.`);
    this.#id ??= this.#start();
    const digest = digestOf(this.#bucket.options.digest, body);
    const input = {
      ...this.#object,
      UploadId: await this.#id,
      PartNumber: number,
      Body: body,
      ...digestFields(digest),
    };
    const tag = await this.#bucket.call({
      doing: 'store a part',
      signal: this.#signal,
      send: async (client, options) => {
        const { ETag } = await sendConfirmed(this.#name, digest, {
          send: () => client.send(new UploadPartCommand(input), options),
          infoOf: (answer) => {
            const info = objectInfo(answer);
            // Not every store returns the encryption of a part. The requested one then says what the ETag means.
            return { ...info, encryption: info.encryption ?? this.#bucket.options.encryption?.algorithm };
          },
        });
        if (ETag === undefined) throw new StorageError('unavailable', 'The store did not confirm a part.');
        return ETag;
      },
    });
    this.#parts.push({ number, tag, digest });
  }

  async #start(): Promise<string> {
    const input = {
      ...this.#object,
      ContentType: 'application/octet-stream',
      ...(this.#bucket.options.digest === 'crc32' && ({ ChecksumAlgorithm: 'CRC32', ChecksumType: 'COMPOSITE' } as const)),
      ...this.#bucket.objectSettings(this.#options),
    };
    const attempt = (): Promise<string | undefined> => {
      this.#starts += 1;
      return this.#bucket.once({
        doing: 'start an upload',
        signal: this.#signal,
        send: async (client, options) => (await client.send(new CreateMultipartUploadCommand(input), options)).UploadId,
      });
    };
    const id = await retryTransient(attempt, this.#bucket.options.retryPolicy, this.#signal);
    if (!id) throw new StorageError('invalid', 'The store returned no upload id.');
    return id;
  }

  /** A start whose response was lost may have created an upload with an unknown id. */
  async #abortUnknownUploads(isKnown: boolean): Promise<void> {
    if (this.#starts > Number(isKnown))
      await abortUploads(this.#bucket, this.#name, { isSelected: (key) => key === this.#object.Key }).catch(() => {});
  }

  /** The response may be lost after the upload was completed. The object itself is checked before a retry and at the end. */
  async #complete(uploadId: string): Promise<void> {
    this.#parts.sort((a, b) => a.number - b.number);
    const input = { ...this.#object, UploadId: uploadId, MultipartUpload: { Parts: this.#parts.map(completedPart) } };
    const attempt = async (): Promise<void> => {
      let tag: string | undefined;
      try {
        tag = await this.#bucket.once({
          doing: 'complete an upload',
          signal: this.#signal,
          send: async (client, options) => (await client.send(new CompleteMultipartUploadCommand(input), options)).ETag,
        });
      } catch (error) {
        this.#signal.throwIfAborted();
        if (await this.#isStored(undefined)) return;
        throw error;
      }
      if (await this.#isStored(tag)) return;
      // Without an ETag the response is not that of a completion, whatever its status.
      throw new StorageError(tag === undefined ? 'unavailable' : 'invalid', 'The stored object differs from what was sent.');
    };
    await retryTransient(attempt, this.#bucket.options.retryPolicy, this.#signal);
  }

  /** Whether the object exists with the size and content that was sent: by its checksum, or by the ETag of the completion. */
  async #isStored(tag: string | undefined): Promise<boolean> {
    const found = await this.#bucket.head(this.#name);
    if (found === undefined || found === 'hidden' || found.size !== this.#size) return false;
    const digests = this.#parts.map(({ digest }) => digest);
    const isSame = confirmsAll(this.#bucket.options.digest, digests, found) ?? (tag !== undefined && found.tag === tag);
    if (isSame) this.#bucket.checkEncryption(found);
    return isSame;
  }
}

const completedPart = ({ number, tag, digest }: Part) => ({
  PartNumber: number,
  ETag: tag,
  ...(digest.kind === 'crc32' && { ChecksumCRC32: digest.bytes.toString('base64') }),
});
