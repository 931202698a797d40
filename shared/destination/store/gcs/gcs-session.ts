import { StorageError } from '../object-store.ts';
import { contentType, type GcsClient, type GcsObject, objectOf } from './gcs-client.ts';
import { isStatus } from './gcs-error.ts';

/** The state of an upload session: the object it created, or the number of bytes it has received. */
type Progress = { readonly object: GcsObject } | { readonly receivedBytes: number };

interface SessionOptions {
  readonly client: GcsClient;
  readonly key: string;
  readonly uploadId: string;
  readonly lockedUntil?: Date | undefined;
  readonly signal: AbortSignal;
}

interface PartPosition {
  readonly offset: number;
  /** Of the whole object; set for the last part. */
  readonly crc32c?: string | undefined;
}

const resumeIncomplete = 308;
const sessionEnded = 499;
const maxStalls = 3;

/** The store has forgotten the session and what it received. */
export class SessionLostError extends StorageError {
  constructor() {
    super('unavailable', 'The store ended the upload before it was complete.');
  }
}

/** A session of a resumable upload. */
export class GcsSession {
  readonly #client: GcsClient;
  readonly #signal: AbortSignal;
  readonly #url: string;

  /** Names the generation to replace, so that the object of another writer is not overwritten. */
  static start({ client, key, uploadId, lockedUntil, signal }: SessionOptions): Promise<GcsSession> {
    return client.attempt(async () => {
      const replaced = await client.findOnce(key, signal);
      const [url] = await client.file(key, { doing: 'start an upload', signal }).createResumableUpload({
        metadata: { contentType, ...client.retention(lockedUntil), metadata: { uploadId } },
        preconditionOpts: { ifGenerationMatch: replaced?.generation ?? '0' },
      });
      if (!url) throw new StorageError('invalid', 'The store returned no upload URL.');
      return new GcsSession(client, url, signal);
    }, signal);
  }

  private constructor(client: GcsClient, url: string, signal: AbortSignal) {
    this.#client = client;
    this.#url = url;
    this.#signal = signal;
  }

  /**
   * Sends a part, and returns the object after the last one. After a failure it queries how much the store has received, so that no
   * byte is sent twice or skipped.
   */
  async send(part: Buffer, { offset: from, crc32c }: PartPosition): Promise<GcsObject | undefined> {
    const isLast = crc32c !== undefined;
    const to = from + part.length;
    const total = isLast ? to : undefined;
    let at: number | undefined = from;
    const attempt = async (): Promise<GcsObject | undefined> => {
      for (let stalls = 0; stalls < maxStalls; stalls++) {
        const before: number | undefined = at;
        at = undefined;
        const progress: Progress =
          before === undefined || before === to
            ? await this.#put({ 'content-range': `bytes */${total ?? '*'}` })
            : await this.#write(part.subarray(before - from), { offset: before, total, crc32c });
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
          final = isStatus(error, 412) ? error : new SessionLostError();
          return undefined;
        }),
      this.#signal,
    );
    if (final !== undefined) throw final;
    if (object && !isLast) throw new StorageError('invalid', 'The store completed the upload before its last part.');
    return object;
  }

  /** True if the store confirmed that the session ended without an object. */
  cancel(): Promise<boolean> {
    return this.#client.attempt(async () => {
      try {
        const call = { doing: 'cancel an upload' };
        return (await this.#client.request({ method: 'DELETE', url: this.#url, call })).status === sessionEnded;
      } catch (error) {
        if (!isStatus(error, sessionEnded, 404, 410)) throw error;
        return isStatus(error, sessionEnded);
      }
    });
  }

  #write(body: Buffer, { offset, total, crc32c }: PartPosition & { readonly total: number | undefined }): Promise<Progress> {
    const range = `bytes ${offset}-${offset + body.length - 1}/${total ?? '*'}`;
    // Lets the store reject a damaged object before it is visible.
    const hash: Record<string, string> = crc32c === undefined ? {} : { 'x-goog-hash': `crc32c=${crc32c}` };
    return this.#put({ 'content-range': range, 'content-type': contentType, ...hash }, body);
  }

  async #put(headers: Readonly<Record<string, string>>, data?: Buffer): Promise<Progress> {
    const call = { doing: 'store a part', signal: this.#signal };
    const response = await this.#client.request({ method: 'PUT', url: this.#url, headers, call, ...(data && { data }) });
    if (response.status === resumeIncomplete) return { receivedBytes: receivedOf(response.headers) };
    if (typeof response.data !== 'object') throw new StorageError('unavailable', 'The store did not return JSON.');
    return { object: objectOf(response.data) };
  }
}

/** The store names the last byte it has received. */
const receivedOf = (headers: Headers): number => {
  const [, last] = /^bytes=0-(\d+)$/.exec(headers.get('range') ?? '') ?? [];
  return last === undefined ? 0 : Number(last) + 1;
};
