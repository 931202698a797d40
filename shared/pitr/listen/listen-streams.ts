/** The streams of a project: as many as its groups need, open for as long as somebody listens. */
import { type FirestoreDatabase, ListenCall, targetsMax } from '../../firestore/index.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { type Following, GroupStream } from './listen-stream.ts';
import type { ObservedChanges } from './observed-changes.ts';

export interface LaneOptions {
  readonly refresh: boolean;
  readonly signal: AbortSignal;
  /** The full name of a document that nobody has. */
  readonly question: string;
}

/** Each lane has a time of its own up to which all its groups were heard; nothing is known of all beyond the earliest. */
export class GroupStreams {
  readonly #source: FirestoreDatabase;
  readonly #options: LaneOptions;
  readonly #lanes: GroupStream[] = [];
  #targets = 0;

  constructor(source: FirestoreDatabase, options: LaneOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Hears these groups from where they were left off, up to a time for each lane; and on, if anyone does. */
  async add(standings: readonly ResumePosition[], gathering: ObservedChanges, following: Following): Promise<void> {
    const added: Promise<void>[] = [];
    for (let n = 0; n < standings.length; n += targetsMax) {
      const lane = new GroupStream(await ListenCall.open(this.#source, this.#options), gathering, following);
      this.#lanes.push(lane);
      const step = lane.nextStep();
      // Whoever waits for all of them hears of it; nobody does if another cannot be opened.
      step.catch(() => undefined);
      added.push(step);
      for (const standing of standings.slice(n, n + targetsMax)) lane.add(standing, ++this.#targets);
    }
    await Promise.all(added);
  }

  get count(): number {
    return this.#lanes.length;
  }

  /** Why one of them hears nothing more. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#lanes.find(({ failure }) => failure)?.failure;
  }

  /** Ends a turn: up to a time for each lane everything is told; what is told behind that is the following one's. */
  async turnOver(following: Following): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.turnOver(following, this.#options.question)));
  }

  /** A quiet stream that nobody asks anything would be taken for a dead one. */
  async ask(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.ask(this.#options.question)));
  }

  /** Hears no more: what was whole by then counts. Throws why one was broken off, if that cannot be had. */
  giveUp(): void {
    const { failure } = this;
    const isWhole = this.#lanes.map((lane) => lane.giveUp()).every((is) => is);
    if (!isWhole) throw failure?.error ?? new Error('nobody listens any more');
  }

  close(): void {
    for (const lane of this.#lanes) lane.close();
  }
}
