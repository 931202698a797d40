/** Listens to a project from its resume positions, for one cycle or for many. */
import { type FirestoreDatabase, targetsMax } from '../../firestore/index.ts';
import { secureRandomBytes } from '../../platform/index.ts';
import type { ChangeBatchWriter } from '../batch/change-batch-writer.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import type { Successor } from './group-stream.ts';
import { GroupStreams } from './group-streams.ts';
import { ObservedChanges } from './observed-changes.ts';

interface SessionOptions {
  readonly positions: readonly ResumePosition[];
  readonly writer: ChangeBatchWriter;
  /** For one cycle, which ends at the first consistent point of each stream. */
  readonly isSingleCycle: boolean;
  readonly refresh: boolean;
  readonly signal: AbortSignal;
}

export class ListenSession {
  readonly source: FirestoreDatabase;
  readonly #streams: GroupStreams;
  readonly isSingleCycle: boolean;
  /** The changes of the current cycle. */
  observed: ObservedChanges;

  private constructor(source: FirestoreDatabase, { writer, isSingleCycle, refresh, signal }: SessionOptions) {
    this.source = source;
    this.isSingleCycle = isSingleCycle;
    this.observed = new ObservedChanges(writer);
    // Random, so that no such document exists.
    const probeName = `${source.root}/backup-service/${secureRandomBytes(16).toString('hex')}`;
    this.#streams = new GroupStreams(source, { refresh, signal, probeName });
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

  /** Adds collection groups to the current cycle. */
  async add(
    positions: readonly ResumePosition[],
    successor: Successor,
    observed: ObservedChanges = this.observed,
  ): Promise<void> {
    await this.#streams.add(positions, observed, successor);
  }

  /** Whether a stream has failed. */
  get isBroken(): boolean {
    return !this.isSingleCycle && this.#streams.failure !== undefined;
  }

  get streams(): number {
    return this.#streams.count;
  }

  /** The number of streams beyond those that the groups need. */
  get streamsToSpare(): number {
    return this.streams - Math.ceil(this.observed.groups.size / targetsMax);
  }

  /** Makes every stream reach a consistent point. */
  async requestTime(): Promise<void> {
    await this.#streams.requestTime();
  }

  /** Ends the current cycle at a consistent point of each stream. A failed stream ends at its last complete step. */
  async endCycle(successor: Successor): Promise<void> {
    if (this.isSingleCycle) return;
    try {
      await this.#streams.endCycle(successor);
    } catch {
      this.#streams.giveUp();
    }
  }

  close(): void {
    this.#streams.close();
  }
}
