import type { DocumentMarks } from '../../archive/index.ts';
import type { ChangeBatchWriter } from '../batch/change-batch-writer.ts';

/** Changes that are written together or not at all: a version without its deletion would be restored for ever. */
export class HeldChanges {
  readonly #writes: ((writer: ChangeBatchWriter) => void)[] = [];

  /** Copies: the bytes are valid during the call only. */
  document(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): void {
    const copy = Buffer.from(bytes.subarray(start, end));
    const { nameStart, nameEnd, createdSeconds, createdNanos, updatedSeconds, updatedNanos } = marks;
    const times = { createdSeconds, createdNanos, updatedSeconds, updatedNanos };
    const moved = { nameStart: nameStart - start, nameEnd: nameEnd - start, ...times };
    this.#writes.push((writer) => writer.document(copy, 0, copy.length, moved));
  }

  tombstone(name: string, since: number): void {
    this.#writes.push((writer) => writer.tombstone(name, since));
  }

  async drain(): Promise<void> {
    // Nothing is written yet.
  }

  async writeTo(writer: ChangeBatchWriter): Promise<void> {
    for (const write of this.#writes) write(writer);
    await writer.drain();
  }
}
