import type * as z from 'zod/mini';
import type { WaitingFor } from '../contract/models/job.ts';
import { StorageError } from '../destination/index.ts';
import { type Availability, SourceError } from '../firestore/index.ts';
import { after, iso } from '../platform/index.ts';
import type { StoreCalls } from './store-calls.ts';

/** Shorter waits are normal operation. */
const waitMs = 10_000;
/** If another worker has just made progress, the job does not wait, whatever this one does. */
const movedSeconds = 30;

/** The calls of a run to its database and its buckets. */
export interface WatchedCalls {
  /** Of the database that the run reads or writes. */
  readonly database: Pick<Availability, 'heldBy' | 'silentMs' | 'successes'>;
  readonly calls: StoreCalls;
}

/** The attributes of a job's record that show a wait. `movedAt`: when a worker last ended one. */
interface WaitingJob {
  readonly waitingFor?: Wait | undefined;
  readonly movedAt?: string | undefined;
}

interface WaitState {
  /** A wait that the record does not show yet. */
  readonly begun: Wait | undefined;
  /** This run is held up now. */
  readonly isWaiting: boolean;
  /** The wait on the record is over. */
  readonly isOver: boolean;
}

/** Detects at every heartbeat whether a run of a job waits, and whether the wait on the record is over. */
export class WaitTracker {
  readonly #sources: WatchedCalls;
  #wait: Wait | undefined;
  #progress: number | undefined;
  #successes: Readonly<Record<Wait['reason'], number>>;

  constructor(sources: WatchedCalls) {
    this.#sources = sources;
    this.#successes = this.#countSuccesses();
  }

  /** `job` is the record as just read, and `progress` counts what all its workers have done. */
  observe(job: WaitingJob, progress: number, now: Date): WaitState {
    const before = this.#successes;
    this.#successes = this.#countSuccesses();
    const wait = this.#currentWait(now, job, progress);
    const { waitingFor } = job;
    // Only an answer of what the job waits for ends the wait.
    const isAnswered = waitingFor !== undefined && this.#successes[waitingFor.reason] !== before[waitingFor.reason];
    const begun = isReplacedBy(waitingFor, wait) ? wait : undefined;
    return { begun, isWaiting: wait !== undefined, isOver: !this.#wait && isAnswered };
  }

  #countSuccesses() {
    const { database, calls } = this.#sources;
    return { quota: database.successes, database: database.successes, storage: calls.successes };
  }

  /** Undefined if the run is not held up, not for long enough, or if others make progress meanwhile. */
  #currentWait(now: Date, { movedAt = '' }: WaitingJob, progress: number): Wait | undefined {
    const { database, calls } = this.#sources;
    const storageMs = calls.pendingSince ? now.getTime() - calls.pendingSince.getTime() : 0;
    const isSilent = database.silentMs >= waitMs;
    const reason = database.heldBy ?? (isSilent ? 'database' : storageMs >= waitMs ? 'storage' : undefined);
    const isMoving = this.#progress !== undefined && this.#progress !== progress;
    this.#progress = progress;
    // A refused call is noticed now; one without an answer has waited since it began.
    const waitedMs = isMoving ? 0 : reason === 'storage' ? storageMs : isSilent ? database.silentMs : 0;
    if (!reason) this.#wait = undefined;
    else if (this.#wait?.reason !== reason || isMoving) this.#wait = { reason, since: iso(after(now, -waitedMs / 1_000)) };
    const wait = this.#wait;
    const isLong = wait && wait.since <= iso(after(now, -waitMs / 1_000));
    if (!isLong || movedAt > iso(after(now, -movedSeconds))) return undefined;
    return { reason: wait.reason, since: wait.since };
  }
}

/** What a job that makes no progress waits for. */
export type Wait = Readonly<Pick<z.output<typeof WaitingFor>, 'reason' | 'since'>>;

/** Whether the record shows `wait` from now on. An outage replaces a lack of quota, which ends no job; else the first stays. */
export const isReplacedBy = (shown: Wait | undefined, wait: Wait | undefined): boolean =>
  wait !== undefined && (shown === undefined || (shown.reason === 'quota' && wait.reason !== 'quota'));

/** The record of a job as it is once the job makes progress. */
export const withoutWait = <J extends { readonly waitingFor?: Wait }>({ waitingFor: _, ...record }: J): J => record as J;

/** What a job waits for whose step failed with this transient error; undefined if that is neither database nor bucket. */
export const waitReason = (error: unknown): Wait['reason'] | undefined => {
  if (error instanceof StorageError) return 'storage';
  if (!(error instanceof SourceError)) return undefined;
  return error.isExhausted ? 'quota' : 'database';
};
