/** Listens to a project from where it was left off, for one turn or for many. */
import { type FirestoreDatabase, targetsMax } from '../../firestore/index.ts';
import { secureRandomBytes } from '../../platform/index.ts';
import type { BatchWriter } from '../batch/change-batch-writer.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import type { Following } from './listen-stream.ts';
import { GroupStreams } from './listen-streams.ts';
import { ObservedChanges } from './observed-changes.ts';

export interface SessionOptions {
  readonly standings: readonly ResumePosition[];
  readonly writer: BatchWriter;
  /** Whether it is for one turn, which ends with what is told first. */
  readonly isOnce: boolean;
  readonly refresh: boolean;
  readonly signal: AbortSignal;
}

export class Session {
  readonly source: FirestoreDatabase;
  readonly #lanes: GroupStreams;
  readonly isOnce: boolean;
  /** The turn under way. */
  gathering: ObservedChanges;

  private constructor(source: FirestoreDatabase, { writer, isOnce, refresh, signal }: SessionOptions) {
    this.source = source;
    this.isOnce = isOnce;
    this.gathering = new ObservedChanges(writer);
    // Of chance, so that nobody has such a document.
    const question = `${source.root}/backup-service/${secureRandomBytes(16).toString('hex')}`;
    this.#lanes = new GroupStreams(source, { refresh, signal, question });
  }

  /** Resolves when everything up to a time has been told; what was billed by then is in `spent` if it fails. */
  static async open(source: FirestoreDatabase, options: SessionOptions, spent: (reads: number) => void): Promise<Session> {
    const session = new Session(source, options);
    try {
      await session.add(options.standings, options.isOnce ? 'nobody' : undefined);
      return session;
    } catch (error) {
      session.close();
      spent(session.gathering.reads);
      throw error;
    }
  }

  /** Hears more groups in the turn under way. */
  async add(
    standings: readonly ResumePosition[],
    following: Following,
    gathering: ObservedChanges = this.gathering,
  ): Promise<void> {
    await this.#lanes.add(standings, gathering, following);
  }

  /** Whether a stream was broken off. */
  get isBroken(): boolean {
    return !this.isOnce && this.#lanes.failure !== undefined;
  }

  get streams(): number {
    return this.#lanes.count;
  }

  /** How many streams there are beside those that all groups need. */
  get streamsToSpare(): number {
    return this.streams - Math.ceil(this.gathering.groups.size / targetsMax);
  }

  /** Has the source tell a time. */
  async ask(): Promise<void> {
    await this.#lanes.ask();
  }

  /** Ends the turn under way, at a time of each stream; a stream that is broken off ended with its last whole step. */
  async turnOver(following: Following): Promise<void> {
    if (this.isOnce) return;
    try {
      await this.#lanes.turnOver(following);
    } catch {
      this.#lanes.giveUp();
    }
  }

  close(): void {
    this.#lanes.close();
  }
}
