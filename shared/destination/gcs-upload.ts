import { createHash } from 'node:crypto';
import type { Answer } from '../platform/index.ts';
import { persist } from './attempts.ts';
import { type GcsObject, type GcsPlace, type GcsStore, parse } from './gcs-store.ts';
import { PartGatherer } from './part-gatherer.ts';
import { mayHaveHappened, type PutOptions, StorageError, type Upload } from './store.ts';

/** What the store answers while it waits for more, and when an upload was ended. */
const moreWanted = 308;
const uploadEnded = 499;

/** A resumable upload: one part after the other, each acknowledged before the next; what fits in one part is stored whole. */
export class GcsUpload implements Upload {
  readonly #store: GcsStore;
  readonly #place: GcsPlace;
  readonly #name: string;
  readonly #options: PutOptions;
  readonly #gatherer: PartGatherer;
  readonly #md5 = createHash('md5');
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  /** A full part is held back until more comes: the last one must be known as such. */
  #held: Buffer | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  #session: string | undefined;
  #sent = 0;
  #failure: unknown;
  #state: 'open' | 'completing' | 'finished' | 'aborted' = 'open';
  /** The store made the object, whether or not as it should be. */
  #isMade = false;

  constructor(store: GcsStore, place: GcsPlace, name: string, options: PutOptions) {
    this.#store = store;
    this.#place = place;
    this.#name = name;
    this.#options = options;
    this.#gatherer = new PartGatherer(place.partBytes);
    this.#signal = options.signal ? AbortSignal.any([options.signal, this.#end.signal]) : this.#end.signal;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    this.#check();
    for (const part of this.#gatherer.add(pieces)) {
      const ready = this.#held;
      this.#held = part;
      if (!ready) continue;
      // One part is under way while the next gathers.
      await this.#sending;
      this.#check();
      this.#sending = this.#send(ready, false).catch((error: unknown) => {
        this.#failure ??= error;
      });
    }
  }

  async finish(): Promise<{ size: number }> {
    this.#check();
    try {
      await this.#sending;
      this.#check();
      const last = Buffer.concat([this.#held ?? Buffer.alloc(0), this.#gatherer.rest()]);
      this.#state = 'completing';
      if (this.#session === undefined) {
        await this.#store.put(this.#name, last, this.#options);
        this.#sent = last.length;
      } else {
        this.#confirm(await this.#send(last, true));
      }
    } catch (error) {
      this.#failure ??= error;
      await this.abort().catch(() => {});
      throw error;
    }
    this.#state = 'finished';
    return { size: this.#sent };
  }

  async abort(): Promise<void> {
    if (this.#state === 'finished' || this.#state === 'aborted') return;
    const wasCompleting = this.#state === 'completing';
    this.#end.abort(new StorageError('invalid', 'The upload has ended.'));
    await this.#sending;
    if (this.#session !== undefined) {
      const { client } = this.#place;
      const call = { doing: 'end an upload', method: 'DELETE', path: this.#session } as const;
      const { status } = await client.call(call, uploadEnded, 204, 200, 404, 410);
      // Made after all, though not as it was sent, or unconfirmed.
      if (this.#isMade || (wasCompleting && status !== uploadEnded)) await this.#store.remove([this.#name]);
    } else if (wasCompleting && mayHaveHappened(this.#failure)) await this.#store.remove([this.#name]);
    this.#state = 'aborted';
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#state !== 'open') throw new StorageError('invalid', 'The upload has ended.');
  }

  /** Whatever way it failed, the store is asked how far it has come: nothing is sent twice, nothing is left out. */
  async #send(part: Buffer, isLast: boolean): Promise<GcsObject | undefined> {
    this.#session ??= await this.#begin();
    this.#md5.update(part);
    const [from, to] = [this.#sent, this.#sent + part.length];
    const total = isLast ? String(to) : '*';
    let at: number | undefined = from;
    const attempt = async (): Promise<GcsObject | undefined> => {
      for (let stalled = 0; stalled < 3; stalled++) {
        const before: number | undefined = at;
        at = undefined;
        const answer: Answer =
          before === undefined
            ? await this.#put(`bytes */${total}`)
            : await this.#put(
                to > before ? `bytes ${before}-${to - 1}/${total}` : `bytes */${total}`,
                part.subarray(before - from),
              );
        if (answer.status !== moreWanted) return parse(answer.body) as GcsObject;
        at = kept(answer);
        if (at === to && !isLast) return undefined;
        if (at < from || at > to) throw new StorageError('invalid', 'The store lost a part of the upload.');
        if (before !== undefined && at > before) stalled = 0;
      }
      throw new StorageError('unavailable', 'The store does not take the upload.');
    };
    const object = await persist(attempt, this.#place.client.patience, this.#signal);
    if (object && !isLast) throw new StorageError('invalid', 'The store ended the upload early.');
    this.#sent = to;
    return object;
  }

  #put(range: string, body: Uint8Array = new Uint8Array()): Promise<Answer> {
    const headers = { 'content-range': range };
    const path = String(this.#session);
    return this.#place.client.once(
      { doing: 'store a part', method: 'PUT', path, headers, body, signal: this.#signal },
      ...[200, 201, moreWanted],
    );
  }

  async #begin(): Promise<string> {
    const { headers } = await this.#place.client.call(
      {
        ...{ doing: 'begin an upload', method: 'POST', path: this.#store.uploadPath('resumable'), signal: this.#signal },
        headers: { 'content-type': 'application/json; charset=utf-8', 'x-upload-content-type': 'application/octet-stream' },
        body: JSON.stringify({ name: this.#store.key(this.#name) }),
      },
      200,
    );
    if (headers.location === undefined) throw new StorageError('invalid', 'The store began an upload without naming it.');
    return headers.location;
  }

  #confirm(object: GcsObject | undefined): void {
    this.#isMade = true;
    if (object?.md5Hash !== this.#md5.digest('base64') || Number(object.size) !== this.#sent)
      throw new StorageError('invalid', 'The store kept other bytes than it was given.');
  }
}

/** How many bytes the store has: it names the last one. */
const kept = ({ headers }: Answer): number => {
  const [, last] = /^bytes=0-(\d+)$/.exec(headers.range ?? '') ?? [];
  return last === undefined ? 0 : Number(last) + 1;
};
