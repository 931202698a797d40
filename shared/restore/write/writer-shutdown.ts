import type { BatchWriter } from '../../firestore/index.ts';
import type { RunControl } from '../../job/index.ts';

/** Of a worker's time after it was to hand over (functions/restore/write.ts keeps 60 s): so long it waits for what was given. */
const settleMs = 40_000;

/** Ends a writer at once when the restore was stopped, and a while after its worker's time to hand over. */
export class WriterShutdown {
  readonly #end = new AbortController();
  readonly #halt: RunControl;
  #timer: NodeJS.Timeout | undefined;
  readonly signal = this.#end.signal;

  constructor(halt: RunControl) {
    this.#halt = halt;
    halt.storing.addEventListener('abort', this.#stop);
    halt.reading.addEventListener('abort', this.#pause);
    if (halt.reading.aborted) this.#pause();
  }

  readonly #stop = (): void => this.#end.abort();
  readonly #pause = (): void => {
    this.#timer ??= setTimeout(this.#stop, this.#halt.storing.aborted ? 0 : settleMs);
  };

  /** Resolves when nothing is sent any more. */
  async now(writers: readonly BatchWriter[]): Promise<void> {
    this.#end.abort();
    await Promise.allSettled(writers.map((writer) => writer.flush()));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#halt.storing.removeEventListener('abort', this.#stop);
    this.#halt.reading.removeEventListener('abort', this.#pause);
  }
}
