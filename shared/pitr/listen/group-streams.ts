/** The Listen streams of a project, as many as its collection groups need. */
import { type FirestoreDatabase, ListenCall, targetsMax } from '../../firestore/index.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { GroupStream, type Successor } from './group-stream.ts';
import type { ObservedChanges } from './observed-changes.ts';

export interface StreamOptions {
  readonly refresh: boolean;
  readonly signal: AbortSignal;
  /** The full name of a document that does not exist. */
  readonly probeName: string;
}

/** Each stream has its own consistent point; all groups are complete only up to the earliest. */
export class GroupStreams {
  readonly #source: FirestoreDatabase;
  readonly #options: StreamOptions;
  readonly #streams: GroupStream[] = [];
  #targets = 0;

  constructor(source: FirestoreDatabase, options: StreamOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Listens to these groups from their positions. Resolves at the first consistent point of each new stream. */
  async add(positions: readonly ResumePosition[], observed: ObservedChanges, successor: Successor): Promise<void> {
    const added: Promise<void>[] = [];
    for (let n = 0; n < positions.length; n += targetsMax) {
      const stream = new GroupStream(await ListenCall.open(this.#source, this.#options), observed, successor);
      this.#streams.push(stream);
      const step = stream.nextStep();
      // Handled by Promise.all below, which is not reached if another stream cannot be opened.
      step.catch(() => undefined);
      added.push(step);
      for (const position of positions.slice(n, n + targetsMax)) stream.add(position, ++this.#targets);
    }
    await Promise.all(added);
  }

  get count(): number {
    return this.#streams.length;
  }

  /** The failure of the first failed stream. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#streams.find(({ failure }) => failure)?.failure;
  }

  async endCycle(successor: Successor): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.endCycle(successor, this.#options.probeName)));
  }

  /** Also keeps an idle stream from being taken for a dead one. */
  async requestTime(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.requestTime(this.#options.probeName)));
  }

  /** Closes all streams and keeps their complete steps. Throws the first failure if a stream has stored part of a step. */
  giveUp(): void {
    const { failure } = this;
    const isComplete = this.#streams.map((stream) => stream.giveUp()).every((is) => is);
    if (!isComplete) throw failure?.error ?? new Error('the Listen streams are closed');
  }

  close(): void {
    for (const stream of this.#streams) stream.close();
  }
}
