import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { isOutcomeUnknown, type ObjectStore, type PutOptions, StorageError, type Upload } from '../object-store.ts';
import { PartBuffer } from '../part-buffer.ts';
import { retryTransient } from '../retry-transient.ts';
import { abortUpload, abortUploads } from './abort-uploads.ts';
import { confirms, confirmsAll, type Digest, digestFields, digestOf } from './checksum.ts';
import { objectInfo, type S3Bucket } from './s3-bucket.ts';

interface Part {
  readonly number: number;
  readonly tag: string;
  readonly digest: Digest;
}

/** Stores an upload that fits in one part. */
type SmallObjectStore = Pick<ObjectStore, 'put' | 'remove'> & { readonly bucket: S3Bucket };

/** Parts under way at once: enough to fill a connection of 1 Gbit/s at 200 ms, with 32 MiB in memory. */
const partsAtOnce = 4;
const partsMax = 10_000;

/** A multipart upload that begins with the second part's bytes: what fits in one part is stored whole. */
export class S3Upload implements Upload {
  readonly #store: SmallObjectStore;
  readonly #bucket: S3Bucket;
  readonly #name: string;
  readonly #object: { readonly Bucket: string; readonly Key: string };
  readonly #options: PutOptions;
  readonly #gatherer: PartBuffer;
  readonly #underWay = new Set<Promise<void>>();
  readonly #parts: Part[] = [];
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  #id: Promise<string> | undefined;
  #begun = 0;
  #beginnings = 0;
  #size = 0;
  #failure: unknown;
  #state: 'open' | 'completing' | 'finished' | 'aborted' = 'open';

  constructor(store: SmallObjectStore, name: string, options: PutOptions) {
    this.#store = store;
    this.#bucket = store.bucket;
    this.#name = name;
    this.#object = { Bucket: store.bucket.options.bucket, Key: store.bucket.key(name) };
    this.#options = options;
    this.#gatherer = new PartBuffer(store.bucket.options.partBytes);
    this.#signal = options.signal ? AbortSignal.any([options.signal, this.#end.signal]) : this.#end.signal;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    this.#check();
    for (const part of this.#gatherer.add(pieces)) {
      this.#send(part);
      while (this.#underWay.size >= partsAtOnce) await Promise.race(this.#underWay);
      this.#check();
    }
  }

  async finish(): Promise<{ size: number }> {
    this.#check();
    try {
      const rest = this.#gatherer.rest();
      if (this.#id === undefined) {
        this.#size = rest.length;
        this.#state = 'completing';
        await this.#store.put(this.#name, rest, this.#options);
      } else {
        if (rest.length > 0) this.#send(rest);
        await Promise.all(this.#underWay);
        this.#check();
        this.#state = 'completing';
        await this.#complete(await this.#id);
      }
    } catch (error) {
      this.#failure ??= error;
      // What the caller must know is why it failed; an upload that cannot even be ended is left to `abandon`.
      await this.abort().catch(() => {});
      throw error;
    }
    await this.#endTwins(this.#id !== undefined);
    this.#state = 'finished';
    return { size: this.#size };
  }

  async abort(): Promise<void> {
    if (this.#state === 'finished' || this.#state === 'aborted') return;
    const wasCompleting = this.#state === 'completing';
    this.#end.abort(new StorageError('invalid', 'The upload has ended.'));
    // A part that arrives after the end would stay behind.
    await Promise.allSettled(this.#underWay);
    const id = await this.#id?.catch(() => undefined);
    // Whole or in parts, it may be there after all, unconfirmed; what the store refused is not.
    const mayBeThere =
      id === undefined
        ? isOutcomeUnknown(this.#failure)
        : (await abortUpload(this.#bucket, { key: this.#object.Key, uploadId: id })) === 'gone';
    if (wasCompleting && mayBeThere) await this.#store.remove([this.#name]);
    await this.#endTwins(id !== undefined);
    this.#state = 'aborted';
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#state !== 'open') throw new StorageError('invalid', 'The upload has ended.');
  }

  #send(body: Buffer): void {
    this.#size += body.length;
    const number = ++this.#begun;
    const sending = this.#sendPart(number, body)
      .catch((error: unknown) => {
        this.#failure ??= error;
        this.#end.abort(error);
      })
      .finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  async #sendPart(number: number, body: Buffer): Promise<void> {
    if (number > partsMax) throw new StorageError('invalid', `An object has at most ${partsMax} parts.`);
    this.#id ??= this.#begin();
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
        const told = objectInfo(await client.send(new UploadPartCommand(input), options));
        // Not every store repeats for a part how it encrypts; the tag is judged by what was asked for.
        const encryption = told.encryption ?? this.#bucket.options.encryption?.algorithm;
        if (told.tag === undefined || confirms(digest, { ...told, encryption }) === false)
          throw new StorageError('unavailable', 'The store kept other bytes than it was given.');
        return told.tag;
      },
    });
    this.#parts.push({ number, tag, digest });
  }

  async #begin(): Promise<string> {
    const input = {
      ...this.#object,
      ContentType: 'application/octet-stream',
      ...(this.#bucket.options.digest === 'crc32' && ({ ChecksumAlgorithm: 'CRC32', ChecksumType: 'COMPOSITE' } as const)),
      ...this.#bucket.objectSettings(this.#options),
    };
    const attempt = (): Promise<string | undefined> => {
      this.#beginnings += 1;
      return this.#bucket.once({
        doing: 'begin an upload',
        signal: this.#signal,
        send: async (client, options) => (await client.send(new CreateMultipartUploadCommand(input), options)).UploadId,
      });
    };
    const id = await retryTransient(attempt, this.#bucket.options.retryPolicy, this.#signal);
    if (!id) throw new StorageError('invalid', 'The store began an upload without naming it.');
    return id;
  }

  /** A beginning whose answer never came may have left an upload that nobody knows by its id. */
  async #endTwins(isKnown: boolean): Promise<void> {
    if (this.#beginnings > Number(isKnown))
      await abortUploads(this.#bucket, this.#name, { isWanted: (key) => key === this.#object.Key }).catch(() => {});
  }

  /** An answer may be lost after the work was done: before it is tried again, and at the end, the object itself is asked. */
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
        if (await this.#isThere(undefined)) return;
        throw error;
      }
      if (await this.#isThere(tag)) return;
      // Without a tag it was no answer to a completion, whatever its status says.
      throw new StorageError(tag === undefined ? 'unavailable' : 'invalid', 'The store did not keep the object as it was sent.');
    };
    await retryTransient(attempt, this.#bucket.options.retryPolicy, this.#signal);
  }

  /** Whether the object is there with this very size and content: by its checksum, or by the tag the completion told. */
  async #isThere(tag: string | undefined): Promise<boolean> {
    const found = await this.#bucket.head(this.#name);
    if (found?.size !== this.#size) return false;
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
