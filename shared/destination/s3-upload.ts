import { textOf, xmlEscaped } from '../platform/index.ts';
import { persist } from './attempts.ts';
import { PartGatherer } from './part-gatherer.ts';
import { documentOf, toldOf } from './s3-answer.ts';
import type { Asking, S3Bucket } from './s3-bucket.ts';
import { confirms, confirmsAll, type Digest, digestHeaders, digestOf } from './s3-digest.ts';
import { type S3Store, s3Namespace } from './s3-store.ts';
import { endUpload, endUploads } from './s3-unfinished.ts';
import { mayHaveHappened, type PutOptions, StorageError, type Upload } from './store.ts';

interface Part {
  readonly number: number;
  readonly tag: string;
  readonly digest: Digest;
}

/** Parts under way at once: enough to fill a connection of 1 Gbit/s at 200 ms, with 32 MiB in memory. */
const partsAtOnce = 4;
const partsMax = 10_000;

/** A multipart upload that begins with the second part's bytes: what fits in one part is stored whole. */
export class S3Upload implements Upload {
  readonly #store: S3Store;
  readonly #bucket: S3Bucket;
  readonly #name: string;
  readonly #options: PutOptions;
  readonly #gatherer: PartGatherer;
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

  constructor(store: S3Store, name: string, options: PutOptions) {
    this.#store = store;
    this.#bucket = store.bucket;
    this.#name = name;
    this.#options = options;
    this.#gatherer = new PartGatherer(store.bucket.place.partBytes);
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
        ? mayHaveHappened(this.#failure)
        : (await endUpload(this.#bucket, this.#bucket.key(this.#name), id)) === 'gone';
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
    const digest = digestOf(this.#bucket.place.digest, body);
    const query = { partNumber: String(number), uploadId: await this.#id };
    const headers = { 'content-type': 'application/octet-stream', ...digestHeaders(digest) };
    const tag = await this.#bucket.call('store a part', this.#asking({ method: 'PUT', query, headers, body }), (answer) => {
      const told = toldOf(answer);
      if (told.tag === undefined || confirms(digest, told) === false)
        throw new StorageError('unavailable', 'The store kept other bytes than it was given.');
      return told.tag;
    });
    this.#parts.push({ number, tag, digest });
  }

  async #begin(): Promise<string> {
    const digests = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'COMPOSITE' };
    const headers = {
      'content-type': 'application/octet-stream',
      ...(this.#bucket.place.digest === 'crc32' && digests),
      ...this.#bucket.lock(this.#options),
    };
    const asked = this.#asking({ method: 'POST', query: { uploads: '' }, headers });
    const attempt = (): Promise<string | undefined> => {
      this.#beginnings += 1;
      return this.#bucket.once('begin an upload', asked, (answer) => textOf(documentOf(answer), 'UploadId'));
    };
    const id = await persist(attempt, this.#bucket.place.patience, this.#signal);
    if (!id) throw new StorageError('invalid', 'The store began an upload without naming it.');
    return id;
  }

  #asking(call: Omit<Asking, 'key' | 'signal'>): Asking {
    return { ...call, key: this.#bucket.key(this.#name), signal: this.#signal };
  }

  /** A beginning whose answer never came may have left an upload that nobody knows by its id. */
  async #endTwins(isKnown: boolean): Promise<void> {
    const key = this.#bucket.key(this.#name);
    if (this.#beginnings > Number(isKnown))
      await endUploads(this.#bucket, this.#name, { isWanted: (other) => other === key }).catch(() => {});
  }

  /** An answer may be lost after the work was done: before it is tried again, and at the end, the object itself is asked. */
  async #complete(uploadId: string): Promise<void> {
    this.#parts.sort((a, b) => a.number - b.number);
    const body = `<CompleteMultipartUpload xmlns="${s3Namespace}">${this.#parts.map(partText).join('')}</CompleteMultipartUpload>`;
    const headers = { 'content-type': 'application/xml' };
    const asked = this.#asking({ method: 'POST', query: { uploadId }, headers, body });
    const attempt = async (): Promise<void> => {
      let tag: string | undefined;
      try {
        tag = await this.#bucket.once('complete an upload', asked, (answer) => textOf(documentOf(answer), 'ETag'));
      } catch (error) {
        this.#signal.throwIfAborted();
        if (await this.#isThere(undefined)) return;
        throw error;
      }
      if (!(await this.#isThere(tag))) throw new StorageError('invalid', 'The store did not keep the object as it was sent.');
    };
    await persist(attempt, this.#bucket.place.patience, this.#signal);
  }

  /** Whether the object is there with this very size and content: by its checksum, or by the tag the completion told. */
  async #isThere(tag: string | undefined): Promise<boolean> {
    const found = await this.#bucket.look(this.#name);
    if (found?.size !== this.#size) return false;
    const digests = this.#parts.map(({ digest }) => digest);
    return confirmsAll(this.#bucket.place.digest, digests, found) ?? (tag !== undefined && found.tag === tag);
  }
}

const partText = ({ number, tag, digest }: Part): string => {
  const crc = digest.kind === 'crc32' ? `<ChecksumCRC32>${digest.bytes.toString('base64')}</ChecksumCRC32>` : '';
  return `<Part><ETag>${xmlEscaped(tag)}</ETag>${crc}<PartNumber>${number}</PartNumber></Part>`;
};
