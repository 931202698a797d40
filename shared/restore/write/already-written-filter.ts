import { type Condition, type FirestoreDatabase, getDocuments, isAlreadyApplied, type WriteMode } from '../../firestore/index.ts';

/** A live document may have 1 MiB. */
const documentsAtOnce = 50;
const bytesAtOnce = 4 << 20;

interface Wanted {
  readonly path: string;
  /** Undefined if it is to be deleted. */
  readonly document: Buffer | undefined;
  readonly condition: Condition | undefined;
}

/** Reads documents that a crashed run may have written: those already as planned count as written and are not written again. */
export class AlreadyWrittenFilter {
  written = 0;
  deleted = 0;
  /** Billed reads. */
  reads = 0;
  readonly #target: FirestoreDatabase;
  readonly #mode: WriteMode;
  readonly #signal: AbortSignal;
  #wanted: Wanted[] = [];
  #bytes = 0;

  constructor(target: FirestoreDatabase, mode: WriteMode, signal: AbortSignal) {
    this.#target = target;
    this.#mode = mode;
    this.#signal = signal;
  }

  /** Documents found as planned so far. */
  done(): { readonly written: number; readonly deleted: number; readonly reads: number } {
    const { written, deleted, reads } = this;
    return { written, deleted, reads };
  }

  /** True if a batch is complete. */
  add(wanted: Wanted): boolean {
    this.#wanted.push(wanted);
    this.#bytes += wanted.document?.length ?? 0;
    return this.#wanted.length >= documentsAtOnce || this.#bytes >= bytesAtOnce;
  }

  /** The documents of the batch that must still be written. */
  async different(): Promise<readonly Wanted[]> {
    const wanted = this.#wanted;
    this.#wanted = [];
    this.#bytes = 0;
    if (wanted.length === 0) return [];
    const paths = wanted.map(({ path }) => path);
    const live = await getDocuments(this.#target, paths, { signal: this.#signal });
    this.reads += wanted.length;
    return wanted.filter(({ path, document }) => !this.#isDone(document, live.get(path)));
  }

  #isDone(document: Buffer | undefined, live: Uint8Array | undefined): boolean {
    if (!isAlreadyApplied(document, live, this.#mode)) return false;
    if (document) this.written += 1;
    else this.deleted += 1;
    return true;
  }
}
