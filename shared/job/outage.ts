/** A job whose database or bucket does not answer: what its record shows, and when it gives up. */
import type * as z from 'zod/mini';
import type { WaitingFor } from '../contract/models/job.ts';
import { StorageError } from '../destination/index.ts';
import { after, iso, present } from '../platform/index.ts';
import { JobFailure, type StorageFailure, storageCode } from './job-failure.ts';
import type { Advance } from './running-job.ts';
import { type JobEvent, timelineAppend } from './timeline.ts';
import type { Wait } from './wait-tracker.ts';

/** The attributes of a job's record that show a wait. */
export interface WaitingRecord {
  /** Set while no worker makes progress. */
  readonly waitingFor?: Wait;
  /** Runs of steps that have failed since the wait began, and what the last of them met. */
  readonly waitAttempts?: number;
  readonly waitProblem?: string | undefined;
  /** When a worker last ended a wait, and when an event last reported one. */
  readonly movedAt?: string;
  readonly waitReportedAt?: string;
  readonly timeline?: readonly JobEvent[];
  /** Of steps that work on no shard. */
  readonly failing?: FailingRuns;
}

/**
 * Runs of one shard or step that failed without progress between them, and when the first of them failed, by what it waited for.
 * The wait on the job's record ends once any worker gets an answer; these last until the shard itself makes progress.
 */
export interface FailingRuns extends Readonly<Partial<Record<'database' | 'storage', string>>> {
  /** Up to where the work is done: failures at another position begin anew. */
  readonly position: string;
}

/**
 * For how many seconds a job waits for each, and when it ends anyway. Without such limits the retries of all steps take hours. An
 * exhausted quota ends no step: writers, or the deadline, end the job.
 */
export interface Patience extends Readonly<Partial<Record<Wait['reason'], number>>> {
  readonly deadline: string | null;
}

/** A job that waits, goes on and waits again reports it this often at most. */
const eventSeconds = 300;

/** Records that the job waits from now on. The condition fails if the record has changed its wait meanwhile. */
export const waitBegins = (
  job: WaitingRecord,
  { wait, problem, now }: { readonly wait: Wait; readonly problem?: string | undefined; readonly now: Date },
): { readonly change: Advance; readonly shown: WaitingRecord; readonly isEventDue: boolean } => {
  const { waitReportedAt } = job;
  const isEventDue = waitReportedAt === undefined || waitReportedAt <= iso(after(now, -eventSeconds));
  const entry: JobEvent = { at: wait.since, kind: 'waiting', reason: wait.reason, message: problem ?? null };
  const shown = { waitingFor: wait, waitAttempts: problem === undefined ? 0 : 1, waitProblem: problem };
  const set = { ...shown, ...(isEventDue && { waitReportedAt: iso(now) }) };
  return { shown, isEventDue, change: { set, expected: { waitingFor: job.waitingFor }, ...timelineAppend(job, entry) } };
};

/** Another run of a step has failed while the job waits. */
export const waitContinues = (job: WaitingRecord, problem: string, now: Date): Advance => {
  const { waitingFor } = job;
  const entry = {
    at: iso(now),
    kind: 'attempt_failed',
    ...(waitingFor && { reason: waitingFor.reason }),
    message: problem,
  } as const;
  return {
    set: { waitProblem: problem },
    add: { waitAttempts: 1 },
    expected: { waitingFor: present },
    ...timelineAppend(job, entry),
  };
};

export const waitEnds = (job: WaitingRecord, now: Date): Advance => ({
  set: { waitingFor: undefined, movedAt: iso(now) },
  ...timelineAppend(job, { at: iso(now), kind: 'continued', message: null }),
});

/** The wait as the API shows it; null if there is none. */
export const shownWait = (
  { waitingFor, waitAttempts = 0, waitProblem }: WaitingRecord,
  patience: Patience,
): z.input<typeof WaitingFor> | null =>
  waitingFor
    ? {
        ...waitingFor,
        attempts: waitAttempts,
        problem: waitProblem ?? null,
        givesUpAt: givesUpAt(waitingFor, patience),
      }
    : null;

const givesUpAt = ({ reason, since }: Wait, { deadline, ...patience }: Patience): string | null => {
  const seconds = patience[reason];
  const at = seconds === undefined ? null : iso(after(new Date(since), seconds));
  return at !== null && (deadline === null || at < deadline) ? at : deadline;
};

interface OutageOptions {
  readonly patience: Patience;
  /** What the last attempt met. */
  readonly error?: unknown;
  readonly storage: StorageFailure;
  readonly now: Date;
}

/** The failure of a job that has waited for too long; undefined if it goes on waiting. */
export const outageFailure = (
  { waitingFor, waitProblem }: Pick<WaitingRecord, 'waitingFor' | 'waitProblem'>,
  options: OutageOptions,
): JobFailure | undefined => failureAfter(waitingFor, 'has not answered', { ...options, problem: waitProblem });

const failureAfter = (
  wait: Wait | undefined,
  what: string,
  { patience, error, storage, now, problem }: OutageOptions & { readonly problem?: string | undefined },
): JobFailure | undefined => {
  if (!wait || wait.reason === 'quota') return undefined;
  const { reason, since } = wait;
  const seconds = patience[reason];
  if (seconds === undefined || since > iso(after(now, -seconds))) return undefined;
  const minutes = Math.floor((now.getTime() - Date.parse(since)) / 60_000);
  const last = error instanceof Error ? error.message : problem;
  return new JobFailure(
    reason !== 'storage' ? 'INTERNAL_ERROR' : error instanceof StorageError ? storageCode(error, storage) : storage,
    `The ${reason === 'storage' ? 'bucket' : 'database'} ${what} for ${minutes} minutes${last ? `: ${last}` : ''}`,
    { reason: error instanceof StorageError ? error.code : reason, since },
    { cause: error },
  );
};

/** What follows from a run that failed with a transient error. */
interface FailedRun {
  /** Set if the job has waited for too long, or if this run and those before it have failed for too long. */
  readonly failure: JobFailure | undefined;
  readonly failing: FailingRuns;
  readonly wait: Wait;
}

/** `before` is what the shard, or the job's record, has noted of the runs before this one. */
export const judgeFailedRun = (
  job: WaitingRecord,
  before: FailingRuns | undefined,
  { reason, position, ...options }: OutageOptions & { readonly reason: Wait['reason']; readonly position: string },
): FailedRun => {
  const now = iso(options.now);
  const earlier = before?.position === position ? before : { position };
  // A database that refuses calls for lack of quota has answered.
  if (reason === 'quota') {
    const { database: _, ...failing } = earlier;
    return { failure: undefined, failing, wait: { reason, since: now } };
  }
  const since = earlier[reason] ?? now;
  const wait = { reason, since };
  const failure = outageFailure(job, options) ?? failureAfter(wait, 'has refused the same work', options);
  return { failure, failing: { ...earlier, [reason]: since }, wait };
};
