/** Listens to a project from where it was left off, for one turn or for many. */
import { type FirestoreDatabase, targetsMax } from '../../firestore/index.ts';
import { secureRandomBytes } from '../../platform/index.ts';
import type { ChangeBatchWriter } from '../batch/change-batch-writer.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import type { Successor } from './listen-stream.ts';
import { GroupStreams } from './listen-streams.ts';
import { ObservedChanges } from './observed-changes.ts';

export interface SessionOptions {
  readonly positions: readonly ResumePosition[];
  readonly writer: ChangeBatchWriter;
  /** Whether it is for one turn, which ends with what is told first. */
  readonly isSingleCycle: boolean;
  readonly refresh: boolean;
  readonly signal: AbortSignal;
}

export class ListenSession {
  readonly source: FirestoreDatabase;
  readonly #streams: GroupStreams;
  readonly isSingleCycle: boolean;
  /** The turn under way. */
  observed: ObservedChanges;

  private constructor(source: FirestoreDatabase, { writer, isSingleCycle, refresh, signal }: SessionOptions) {
    this.source = source;
    this.isSingleCycle = isSingleCycle;
    this.observed = new ObservedChanges(writer);
    // Of chance, so that nobody has such a document.
    const probeName = `${source.root}/backup-service/${secureRandomBytes(16).toString('hex')}`;
    this.#streams = new GroupStreams(source, { refresh, signal, probeName });
  }

  /** Resolves when everything up to a time has been told; what was billed by then is in `spent` if it fails. */
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

  /** Hears more groups in the turn under way. */
  async add(
    positions: readonly ResumePosition[],
    following: Successor,
    observed: ObservedChanges = this.observed,
  ): Promise<void> {
    await this.#streams.add(positions, observed, following);
  }

  /** Whether a stream was broken off. */
  get isBroken(): boolean {
    return !this.isSingleCycle && this.#streams.failure !== undefined;
  }

  get streams(): number {
    return this.#streams.count;
  }

  /** How many streams there are beside those that all groups need. */
  get streamsToSpare(): number {
    return this.streams - Math.ceil(this.observed.groups.size / targetsMax);
  }

  /** Has the source tell a time. */
  async requestTime(): Promise<void> {
    await this.#streams.requestTime();
  }

  /** Ends the turn under way, at a time of each stream; a stream that is broken off ended with its last whole step. */
  async endCycle(following: Successor): Promise<void> {
    if (this.isSingleCycle) return;
    try {
      await this.#streams.endCycle(following);
    } catch {
      this.#streams.giveUp();
    }
  }

  close(): void {
    this.#streams.close();
  }
}
