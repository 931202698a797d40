import type { BatchWriter } from '../../firestore/index.ts';
import type { RunControl } from '../../job/index.ts';

/** How long to wait for pending writes after the hand-over, of the 60 s that functions/restore/workflow.ts reserves. */
const settleMs = 40_000;

/** Aborts the writers at once if the restore stops, and some time after the hand-over. */
export class WriterShutdown {
  readonly #end = new AbortController();
  readonly #control: RunControl;
  #timer: NodeJS.Timeout | undefined;
  readonly signal = this.#end.signal;

  constructor(control: RunControl) {
    this.#control = control;
    control.storing.addEventListener('abort', this.#stop);
    control.reading.addEventListener('abort', this.#yield);
    if (control.reading.aborted) this.#yield();
  }

  readonly #stop = (): void => this.#end.abort();
  readonly #yield = (): void => {
    this.#timer ??= setTimeout(this.#stop, this.#control.storing.aborted ? 0 : settleMs);
  };

  /** Resolves when no request is in flight. */
  async now(writers: readonly BatchWriter[]): Promise<void> {
    this.#end.abort();
    await Promise.allSettled(writers.map((writer) => writer.flush()));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#control.storing.removeEventListener('abort', this.#stop);
    this.#control.reading.removeEventListener('abort', this.#yield);
  }
}
