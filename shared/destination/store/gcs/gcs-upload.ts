import { Crc32c } from '../../../platform/crc32c.ts';
import { randomToken } from '../../../platform/random-id.ts';
import { checksumMismatch, isOutcomeUnknown, StorageError, type Upload, type UploadedObject } from '../object-store.ts';
import { PartBuffer } from '../part-buffer.ts';
import type { GcsClient, GcsObject } from './gcs-client.ts';
import { GcsError } from './gcs-error.ts';
import { GcsSession, SessionLostError } from './gcs-session.ts';

interface GcsUploadOptions {
  readonly client: GcsClient;
  readonly key: string;
  readonly partBytes: number;
  readonly lockedUntil?: Date | undefined;
  readonly signal?: AbortSignal | undefined;
}

const maxRestarts = 3;
/** Parts are kept for a restart up to this size. The job step repeats a larger upload from its last checkpoint. */
const keptMaxBytes = 64 << 20;

/**
 * A resumable upload: one part after the other, each acknowledged before the next. An upload of less than two parts is a single put.
 * The library starts the session and authenticates each part. Its write stream is not used, for three reasons found in 8.4.0: a
 * partial upload that fails first reports success and then throws an uncaught exception, a lost final response fails the upload
 * although the object is complete, and retries are counted per upload instead of per part.
 */
export class GcsUpload implements Upload {
  readonly #client: GcsClient;
  readonly #key: string;
  readonly #lockedUntil: Date | undefined;
  readonly #buffer: PartBuffer;
  readonly #crc32c = new Crc32c();
  readonly #abortController = new AbortController();
  readonly #signal: AbortSignal;
  /** Stored in the object's metadata, so that abort never deletes the object of another writer. */
  readonly #id = randomToken();
  /** A full part is held back until more bytes arrive, because the last part must be marked as such. */
  #held: Buffer | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  #session: GcsSession | undefined;
  #sentBytes = 0;
  /** What was sent so far; undefined once it exceeds `keptMaxBytes`. */
  #kept: Buffer[] | undefined = [];
  #failure: unknown;
  #state: 'open' | 'completing' | 'finished' | 'aborted' = 'open';

  constructor({ client, key, partBytes, lockedUntil, signal }: GcsUploadOptions) {
    this.#client = client;
    this.#key = key;
    this.#lockedUntil = lockedUntil;
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

  async finish(): Promise<UploadedObject> {
    this.#check();
    try {
      await this.#sending;
      this.#check();
      const last = Buffer.concat([this.#held ?? Buffer.alloc(0), this.#buffer.rest()]);
      this.#held = undefined;
      this.#state = 'completing';
      if (this.#session === undefined) {
        this.#crc32c.update(last);
        await this.#client.put({
          key: this.#key,
          bytes: last,
          uploadId: this.#id,
          lockedUntil: this.#lockedUntil,
          signal: this.#signal,
        });
        this.#sentBytes = last.length;
      } else {
        const object = await this.#send(last, { isLast: true }).catch((error: unknown) => {
          throw error instanceof GcsError && error.isOtherChecksum ? this.#mismatch(undefined) : error;
        });
        if (object?.crc32c !== this.#crc32c.toString() || object.size !== this.#sentBytes) throw this.#mismatch(object);
      }
    } catch (error) {
      this.#failure ??= error;
      await this.abort().catch(() => {});
      throw error;
    }
    this.#state = 'finished';
    return { size: this.#sentBytes, checksum: `crc32c:${this.#crc32c}` };
  }

  async abort(): Promise<void> {
    if (this.#state === 'finished' || this.#state === 'aborted') return;
    const wasCompleting = this.#state === 'completing';
    this.#abortController.abort(ended());
    await this.#sending;
    const mayExist = this.#session === undefined ? isOutcomeUnknown(this.#failure) : !(await this.#session.cancel());
    if (wasCompleting && mayExist) await this.#removeOwn();
    this.#state = 'aborted';
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#state !== 'open') throw ended();
  }

  /** If the session is lost, starts a new one and sends everything again. */
  async #send(part: Buffer, { isLast }: { readonly isLast: boolean }): Promise<GcsObject | undefined> {
    this.#crc32c.update(part);
    const crc32c = isLast ? this.#crc32c.toString() : undefined;
    const offset = this.#sentBytes;
    const kept = this.#kept;
    for (let restarts = 0; ; restarts++) {
      try {
        this.#session ??= await this.#start();
        if (restarts > 0) await resend(this.#session, kept ?? []);
        const object = await this.#session.send(part, { offset, crc32c });
        return this.#sent(part, object);
      } catch (error) {
        if (!(error instanceof SessionLostError)) throw error;
        const object = isLast ? await this.#client.find(this.#key, this.#signal) : undefined;
        // The upload was completed, but the response was lost.
        if (object?.uploadId === this.#id) return this.#sent(part, object);
        if (!kept || restarts >= maxRestarts) throw error;
        this.#session = undefined;
      }
    }
  }

  /** The parts are not sent again, so the first mismatch is the last. */
  #mismatch(stored: GcsObject | undefined): StorageError {
    const expected = `crc32c:${this.#crc32c}`;
    return checksumMismatch({ object: this.#key, expected, actual: stored && `crc32c:${stored.crc32c}` }, true);
  }

  #sent(part: Buffer, object: GcsObject | undefined): GcsObject | undefined {
    this.#sentBytes += part.length;
    this.#kept = this.#sentBytes <= keptMaxBytes ? this.#kept && [...this.#kept, part] : undefined;
    return object;
  }

  #start(): Promise<GcsSession> {
    return GcsSession.start({
      client: this.#client,
      key: this.#key,
      uploadId: this.#id,
      lockedUntil: this.#lockedUntil,
      signal: this.#signal,
    });
  }

  async #removeOwn(): Promise<void> {
    const found = await this.#client.find(this.#key);
    if (found?.uploadId === this.#id) await this.#client.remove(this.#key, { generation: found.generation });
  }
}

const ended = (): StorageError => new StorageError('invalid', 'The upload has ended.');

const resend = async (session: GcsSession, parts: readonly Buffer[]): Promise<void> => {
  let offset = 0;
  for (const part of parts) {
    await session.send(part, { offset });
    offset += part.length;
  }
};
