import { type ConsistentPoint, type FirestoreDatabase, ListenCall, type Listener } from '../../../shared/firestore/index.ts';
import type { RawDocument } from '../../../shared/firestore/wire/response-skim.ts';

/**
 * Follows a collection group across streams like a capture: changes count once their time is consistent, and a new stream resumes
 * with the last token.
 */
export class ListenLog implements Listener {
  /** Delivered consistent changes: a path with its update time, or a deleted path. */
  readonly heard: string[] = [];
  /** How each stream ended. */
  readonly failures: unknown[] = [];
  readonly #source: FirestoreDatabase;
  readonly #group: string;
  readonly #readTime: string;
  readonly #signal: AbortSignal;
  #unsettled: string[] = [];
  #token: Buffer | undefined;
  #opened: (() => void) | undefined;
  #timeRequests = 0;
  listening: ListenCall | undefined;

  constructor(source: FirestoreDatabase, options: { group: string; readTime: string; signal: AbortSignal }) {
    this.#source = source;
    this.#group = options.group;
    this.#readTime = options.readTime;
    this.#signal = options.signal;
  }

  /** Listens until the signal. */
  async follow(): Promise<void> {
    while (!this.#signal.aborted) {
      const over = await this.#source.retry((refresh) => this.#open(refresh), this.#signal);
      this.failures.push(await over.failed);
    }
  }

  /** Requests the time, like a capture on a quiet stream. */
  ask(): void {
    this.listening?.askTime(`${this.#source.root}/nothing/${this.#timeRequests++}`);
  }

  changed(bytes: Buffer, document: RawDocument): void {
    this.#unsettled.push(`${pathOf(bytes.toString('utf8', document.nameStart, document.nameEnd))}`);
  }

  gone(name: string): void {
    this.#unsettled.push(`${pathOf(name)} gone`);
  }

  counted(): void {}

  settled({ token }: ConsistentPoint): void {
    this.heard.push(...this.#unsettled);
    this.#unsettled = [];
    this.#token = token;
    this.#opened?.();
  }

  async rest(): Promise<void> {}

  /** Resolves at the first consistent point; the stream continues, and `failed` reports how it ends. */
  async #open(refresh: boolean): Promise<{ readonly failed: Promise<unknown> }> {
    const listening = await ListenCall.open(this.#source, { refresh, signal: this.#signal });
    this.listening = listening;
    this.#unsettled = [];
    listening.add({ id: 1, collectionId: this.#group, resumeToken: this.#token, readTime: this.#readTime });
    const failed = listening.hear(this).catch((error: unknown) => {
      listening.close();
      return error;
    });
    const first = await Promise.race([failed, new Promise<undefined>((done) => (this.#opened = () => done(undefined)))]);
    if (first !== undefined) throw first;
    return { failed };
  }
}

const pathOf = (name: string): string => name.split('/documents/')[1] ?? name;
