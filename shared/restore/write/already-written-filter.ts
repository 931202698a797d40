import { type Condition, type FirestoreDatabase, getDocuments, isAsWanted, type WriteMode } from '../../firestore/index.ts';

/** What the target has there may be 1 MiB each. */
const documentsAtOnce = 50;
const bytesAtOnce = 4 << 20;

interface Wanted {
  readonly path: string;
  /** As it is to be; undefined if it is to be gone. */
  readonly document: Buffer | undefined;
  readonly condition: Condition | undefined;
}

/**
 * Looks at documents of the target that a run may have written without telling: what is as it should be is not written again,
 * and counts as written.
 */
export class AlreadyWrittenFilter {
  written = 0;
  deleted = 0;
  /** What the target bills the looking as. */
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

  /** What was found as it should be, so far. */
  done(): { readonly written: number; readonly deleted: number; readonly reads: number } {
    const { written, deleted, reads } = this;
    return { written, deleted, reads };
  }

  /** Takes one; true if it is time to look. */
  add(wanted: Wanted): boolean {
    this.#wanted.push(wanted);
    this.#bytes += wanted.document?.length ?? 0;
    return this.#wanted.length >= documentsAtOnce || this.#bytes >= bytesAtOnce;
  }

  /** Of those taken, the ones that are still to be written. */
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
    if (!isAsWanted(document, live, this.#mode)) return false;
    if (document) this.written += 1;
    else this.deleted += 1;
    return true;
  }
}
