import { randomToken } from '../../../platform/random-id.ts';
import { isOutcomeUnknown, StorageError, type Upload } from '../object-store.ts';
import { PartBuffer } from '../part-buffer.ts';
import { Crc32c } from './crc32c.ts';
import { checksumMismatch, contentType, type GcsClient, type GcsObject, objectOf } from './gcs-client.ts';
import { isStatus } from './gcs-error.ts';

interface GcsUploadOptions {
  readonly client: GcsClient;
  readonly key: string;
  readonly partBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** The state of an upload session: the object it created, or the number of bytes it has received. */
type Progress = { readonly object: GcsObject } | { readonly receivedBytes: number };

const resumeIncomplete = 308;
const sessionEnded = 499;
const maxStalls = 3;

/**
 * A resumable upload: one part after the other, each acknowledged before the next. An upload of less than two parts is a single put.
 * The library starts the session and authenticates each part. Its write stream is not used, for three reasons found in 8.4.0: a
 * partial upload that fails first reports success and then throws an uncaught exception, a lost final response fails the upload
 * although the object is complete, and retries are counted per upload instead of per part.
 */
export class GcsUpload implements Upload {
  readonly #client: GcsClient;
  readonly #key: string;
  readonly #buffer: PartBuffer;
  readonly #crc32c = new Crc32c();
  readonly #abortController = new AbortController();
  readonly #signal: AbortSignal;
  /** Stored in the object's metadata, so that abort never deletes the object of another writer. */
  readonly #id = randomToken();
  /** A full part is held back until more bytes arrive, because the last part must be marked as such. */
  #held: Buffer | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  #session: string | undefined;
  #sentBytes = 0;
  #failure: unknown;
  #state: 'open' | 'completing' | 'finished' | 'aborted' = 'open';

  constructor({ client, key, partBytes, signal }: GcsUploadOptions) {
    this.#client = client;
    this.#key = key;
    this.#buffer = new PartBuffer(partBytes);
    this.#signal = signal ? AbortSignal.any([signal, this.#abortController.signal]) : this.#abortController.signal;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    this.#check();
    for (const part of this.#buffer.add(pieces)) {
      const ready = this.#held;
      this.#held = part;
      if (!ready) continue;
      // One part is sent while the next is filled.
      await this.#sending;
      this.#check();
      this.#sending = this.#send(ready, { isLast: false }).catch((error: unknown) => {
        this.#failure ??= error;
      });
    }
  }

  async finish(): Promise<{ size: number }> {
    this.#check();
    try {
      await this.#sending;
      this.#check();
      const last = Buffer.concat([this.#held ?? Buffer.alloc(0), this.#buffer.rest()]);
      this.#held = undefined;
      this.#state = 'completing';
      if (this.#session === undefined) {
        await this.#client.put({ key: this.#key, bytes: last, uploadId: this.#id, signal: this.#signal });
        this.#sentBytes = last.length;
      } else {
        const object = await this.#send(last, { isLast: true });
        if (object?.crc32c !== this.#crc32c.toString() || object.size !== this.#sentBytes) throw checksumMismatch();
      }
    } catch (error) {
      this.#failure ??= error;
      await this.abort().catch(() => {});
      throw error;
    }
    this.#state = 'finished';
    return { size: this.#sentBytes };
  }

  async abort(): Promise<void> {
    if (this.#state === 'finished' || this.#state === 'aborted') return;
    const wasCompleting = this.#state === 'completing';
    this.#abortController.abort(ended());
    await this.#sending;
    const mayExist =
      this.#session === undefined ? isOutcomeUnknown(this.#failure) : (await this.#cancel(this.#session)) !== sessionEnded;
    if (wasCompleting && mayExist) await this.#removeOwn();
    this.#state = 'aborted';
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#state !== 'open') throw ended();
  }

  /** After a failure it queries how much the store has received, so that no byte is sent twice or skipped. */
  async #send(part: Buffer, { isLast }: { readonly isLast: boolean }): Promise<GcsObject | undefined> {
    this.#session ??= await this.#start();
    const session = this.#session;
    this.#crc32c.update(part);
    const from = this.#sentBytes;
    const to = from + part.length;
    const total = isLast ? to : undefined;
    let at: number | undefined = from;
    const attempt = async (): Promise<GcsObject | undefined> => {
      for (let stalls = 0; stalls < maxStalls; stalls++) {
        const before: number | undefined = at;
        at = undefined;
        const progress: Progress =
          before === undefined || before === to
            ? await this.#queryProgress(session, total)
            : await this.#write(session, part.subarray(before - from), { offset: before, total });
        if ('object' in progress) return progress.object;
        at = progress.receivedBytes;
        if (at === to && !isLast) return undefined;
        if (at < from || at > to) throw new StorageError('invalid', 'The store lost a part of the upload.');
        if (before !== undefined && at > before) stalls = 0;
      }
      throw new StorageError('unavailable', 'The upload makes no progress.');
    };
    // An ended session and a concurrently changed object are not retried.
    let final: unknown;
    const object = await this.#client.attempt(
      () =>
        attempt().catch((error: unknown) => {
          if (!isStatus(error, 404, 410, 412)) throw error;
          final = isStatus(error, 412)
            ? error
            : new StorageError('unavailable', 'The store ended the upload before it was complete.');
          return undefined;
        }),
      this.#signal,
    );
    if (final !== undefined) throw final;
    if (object && !isLast) throw new StorageError('invalid', 'The store completed the upload before its last part.');
    this.#sentBytes = to;
    return object;
  }

  /** Names the generation to replace, so that the object of another writer is not overwritten. */
  #start(): Promise<string> {
    return this.#client.attempt(async () => {
      const replaced = await this.#client.findOnce(this.#key, this.#signal);
      const file = this.#client.file(this.#key, { doing: 'start an upload', signal: this.#signal });
      const [session] = await file.createResumableUpload({
        metadata: { contentType, metadata: { uploadId: this.#id } },
        preconditionOpts: { ifGenerationMatch: replaced?.generation ?? '0' },
      });
      if (!session) throw new StorageError('invalid', 'The store returned no upload URL.');
      return session;
    }, this.#signal);
  }

  async #write(url: string, body: Buffer, { offset, total }: { readonly offset: number; readonly total: number | undefined }) {
    const range = `bytes ${offset}-${offset + body.length - 1}/${total ?? '*'}`;
    // Lets the store reject a damaged object before it is visible.
    const hash: Record<string, string> = total === undefined ? {} : { 'x-goog-hash': `crc32c=${this.#crc32c}` };
    return this.#put(url, { 'content-range': range, 'content-type': contentType, ...hash }, body);
  }

  #queryProgress(url: string, total: number | undefined): Promise<Progress> {
    return this.#put(url, { 'content-range': `bytes */${total ?? '*'}` });
  }

  async #put(url: string, headers: Readonly<Record<string, string>>, data?: Buffer): Promise<Progress> {
    const call = { doing: 'store a part', signal: this.#signal };
    const response = await this.#client.request({ method: 'PUT', url, headers, call, ...(data && { data }) });
    if (response.status === resumeIncomplete) return { receivedBytes: receivedOf(response.headers) };
    if (typeof response.data !== 'object') throw new StorageError('unavailable', 'The store did not return JSON.');
    return { object: objectOf(response.data) };
  }

  #cancel(url: string): Promise<number> {
    return this.#client.attempt(async () => {
      try {
        const call = { doing: 'cancel an upload' };
        return (await this.#client.request({ method: 'DELETE', url, call })).status;
      } catch (error) {
        if (isStatus(error, sessionEnded)) return sessionEnded;
        if (isStatus(error, 404, 410)) return 404;
        throw error;
      }
    });
  }

  async #removeOwn(): Promise<void> {
    const found = await this.#client.find(this.#key);
    if (found?.uploadId === this.#id) await this.#client.remove(this.#key, { generation: found.generation });
  }
}

const ended = (): StorageError => new StorageError('invalid', 'The upload has ended.');

/** The store names the last byte it has received. */
const receivedOf = (headers: Headers): number => {
  const [, last] = /^bytes=0-(\d+)$/.exec(headers.get('range') ?? '') ?? [];
  return last === undefined ? 0 : Number(last) + 1;
};
