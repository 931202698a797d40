/** The streams of a project: as many as its groups need, open for as long as somebody listens. */
import { type FirestoreDatabase, ListenCall, targetsMax } from '../../firestore/index.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { GroupStream, type Successor } from './listen-stream.ts';
import type { ObservedChanges } from './observed-changes.ts';

export interface StreamOptions {
  readonly refresh: boolean;
  readonly signal: AbortSignal;
  /** The full name of a document that nobody has. */
  readonly probeName: string;
}

/** Each stream has a time of its own up to which all its groups were heard; nothing is known of all beyond the earliest. */
export class GroupStreams {
  readonly #source: FirestoreDatabase;
  readonly #options: StreamOptions;
  readonly #streams: GroupStream[] = [];
  #targets = 0;

  constructor(source: FirestoreDatabase, options: StreamOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Hears these groups from where they were left off, up to a time for each stream; and on, if anyone does. */
  async add(positions: readonly ResumePosition[], observed: ObservedChanges, following: Successor): Promise<void> {
    const added: Promise<void>[] = [];
    for (let n = 0; n < positions.length; n += targetsMax) {
      const stream = new GroupStream(await ListenCall.open(this.#source, this.#options), observed, following);
      this.#streams.push(stream);
      const step = stream.nextStep();
      // Whoever waits for all of them hears of it; nobody does if another cannot be opened.
      step.catch(() => undefined);
      added.push(step);
      for (const position of positions.slice(n, n + targetsMax)) stream.add(position, ++this.#targets);
    }
    await Promise.all(added);
  }

  get count(): number {
    return this.#streams.length;
  }

  /** Why one of them hears nothing more. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#streams.find(({ failure }) => failure)?.failure;
  }

  /** Ends a turn: up to a time for each stream everything is told; what is told behind that is the following one's. */
  async endCycle(following: Successor): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.endCycle(following, this.#options.probeName)));
  }

  /** A quiet stream that nobody asks anything would be taken for a dead one. */
  async requestTime(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.requestTime(this.#options.probeName)));
  }

  /** Hears no more: what was whole by then counts. Throws why one was broken off, if that cannot be had. */
  giveUp(): void {
    const { failure } = this;
    const isWhole = this.#streams.map((stream) => stream.giveUp()).every((is) => is);
    if (!isWhole) throw failure?.error ?? new Error('nobody listens any more');
  }

  close(): void {
    for (const stream of this.#streams) stream.close();
  }
}
