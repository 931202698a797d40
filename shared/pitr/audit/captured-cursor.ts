import { type Archive, compareNames } from '../../archive/index.ts';
import type { NameRange } from '../../firestore/index.ts';
import { ArchiveCursor, type DocumentChange, type JoinSide } from '../../stored-backup/index.ts';

/** The documents of a range as a restore would write them: those of a base, and the last captured change of each. */
export class CapturedCursor implements JoinSide<Buffer> {
  name: Buffer | undefined;
  #document: Uint8Array | undefined;
  readonly #base: ArchiveCursor;
  readonly #changes: AsyncGenerator<DocumentChange, void, undefined>;
  readonly #rootBytes: number;
  #change: DocumentChange | undefined;
  #isLoaded = false;

  constructor(archive: Archive, range: NameRange, changes: AsyncGenerator<DocumentChange, void, undefined>) {
    this.#base = new ArchiveCursor(archive, [range], { withBodies: true });
    this.#changes = changes;
    this.#rootBytes = Buffer.byteLength(archive.documentsRoot);
  }

  step(): boolean {
    return false;
  }

  async load(): Promise<void> {
    if (!this.#isLoaded) {
      this.#isLoaded = true;
      await this.#nextChange();
      await this.#base.load();
    }
    this.name = this.#document = undefined;
    while (this.name === undefined && (this.#change || this.#base.name)) await this.#take();
  }

  /** The encoded current document. */
  document(): Uint8Array {
    if (!this.#document) throw new RangeError('the cursor is not at a document');
    return this.#document;
  }

  async close(): Promise<void> {
    await this.#base.close();
    await this.#changes.return();
  }

  /** Moves past one name; a deleted document leaves none. */
  async #take(): Promise<void> {
    const changed = this.#change?.name.subarray(this.#rootBytes);
    const known = this.#base.name;
    const order = changed === undefined ? 1 : known === undefined ? -1 : compareNames(changed, known);
    const content = order > 0 ? await this.#base.content() : this.#change?.content;
    if (content) {
      this.name = Buffer.from((order > 0 ? known : changed) ?? []);
      this.#document = Buffer.from(content);
    }
    if (order <= 0) await this.#nextChange();
    if (order >= 0 && !this.#base.step()) await this.#base.load();
  }

  async #nextChange(): Promise<void> {
    const next = await this.#changes.next();
    this.#change = next.done ? undefined : next.value;
  }
}
