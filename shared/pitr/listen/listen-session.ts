/** Listens to a project from its resume positions, for one cycle or for many, with as many streams as its collection groups need. */
import { type FirestoreDatabase, ListenCall, targetsMax } from '../../firestore/index.ts';
import { secureRandomBytes } from '../../platform/index.ts';
import type { ChangeBatchWriter } from '../batch/change-batch-writer.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { GroupStream, type Successor } from './group-stream.ts';
import { ObservedChanges } from './observed-changes.ts';

interface SessionOptions {
  readonly positions: readonly ResumePosition[];
  readonly writer: ChangeBatchWriter;
  /** Whether the session is for one cycle, which ends at the first consistent point of each stream. */
  readonly isSingleCycle: boolean;
  readonly refresh: boolean;
  readonly signal: AbortSignal;
}

/** Each stream has its own consistent point; all groups are complete only up to the earliest. */
export class ListenSession {
  readonly source: FirestoreDatabase;
  readonly isSingleCycle: boolean;
  /** The changes of the current cycle. */
  observed: ObservedChanges;
  readonly #options: Pick<SessionOptions, 'refresh' | 'signal'>;
  readonly #streams: GroupStream[] = [];
  #targets = 0;
  /** The full name of a document that does not exist: random, so that there is none. */
  readonly #probeName: string;

  private constructor(source: FirestoreDatabase, options: SessionOptions) {
    this.source = source;
    this.isSingleCycle = options.isSingleCycle;
    this.observed = new ObservedChanges(options.writer);
    this.#options = options;
    this.#probeName = `${source.root}/backup-service/${secureRandomBytes(16).toString('hex')}`;
  }

  /** Resolves at the first consistent point of every stream. On failure `spent` receives the billed reads. */
  static async open(source: FirestoreDatabase, options: SessionOptions, spent: (reads: number) => void): Promise<ListenSession> {
    const session = new ListenSession(source, options);
    try {
      await session.add(options.positions, options.isSingleCycle ? 'none' : undefined);
      return session;
    } catch (error) {
      session.close();
      spent(session.observed.reads);
      throw error;
    }
  }

  /** Adds collection groups to the current cycle. Resolves at the first consistent point of each new stream. */
  async add(positions: readonly ResumePosition[], successor: Successor, observed = this.observed): Promise<void> {
    const added: Promise<void>[] = [];
    for (let n = 0; n < positions.length; n += targetsMax) {
      const stream = new GroupStream(await ListenCall.open(this.source, this.#options), {
        observed,
        successor,
        billing: this.source.billing,
      });
      this.#streams.push(stream);
      const step = stream.nextStep();
      // Handled by Promise.all below, which is not reached if another stream cannot be opened.
      step.catch(() => undefined);
      added.push(step);
      for (const position of positions.slice(n, n + targetsMax)) stream.add(position, ++this.#targets);
    }
    await Promise.all(added);
  }

  /** Whether a stream has failed. */
  get isBroken(): boolean {
    return !this.isSingleCycle && this.#streams.some(({ failure }) => failure);
  }

  get streams(): number {
    return this.#streams.length;
  }

  /** The number of streams beyond those that the groups need. */
  get streamsToSpare(): number {
    return this.streams - Math.ceil(this.observed.groups.size / targetsMax);
  }

  /** Makes every stream reach a consistent point. Also keeps an idle stream from being taken for a dead one. */
  async requestTime(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.requestTime(this.#probeName)));
  }

  /** Ends the current cycle at a consistent point of each stream. A failed stream ends at its last complete step. */
  async endCycle(successor: Successor): Promise<void> {
    if (this.isSingleCycle) return;
    try {
      await Promise.all(this.#streams.map((stream) => stream.endCycle(successor, this.#probeName)));
    } catch (error) {
      // Throws if a stream has stored part of a step.
      const isComplete = this.#streams.map((stream) => stream.giveUp()).every((is) => is);
      if (!isComplete) throw error;
    }
  }

  close(): void {
    for (const stream of this.#streams) stream.close();
  }
}
