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

/** Records that the job waits from now on. The condition fails if the record shows a wait already. */
export const waitBegins = (
  job: WaitingRecord,
  { wait, problem, now }: { readonly wait: Wait; readonly problem?: string | undefined; readonly now: Date },
): { readonly change: Advance; readonly shown: WaitingRecord; readonly isEventDue: boolean } => {
  const { waitReportedAt } = job;
  const isEventDue = waitReportedAt === undefined || waitReportedAt <= iso(after(now, -eventSeconds));
  const entry: JobEvent = { at: wait.since, kind: 'waiting', reason: wait.reason, message: problem ?? null };
  const shown = { waitingFor: wait, waitAttempts: problem === undefined ? 0 : 1, waitProblem: problem };
  const set = { ...shown, ...(isEventDue && { waitReportedAt: iso(now) }) };
  return { shown, isEventDue, change: { set, expected: { waitingFor: undefined }, ...timelineAppend(job, entry) } };
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

/** The failure of a job that has waited for too long; undefined if it goes on waiting. `error` is what the last attempt met. */
export const outageFailure = (
  { waitingFor, waitProblem }: WaitingRecord,
  {
    patience,
    error,
    storage,
    now,
  }: {
    readonly patience: Patience;
    readonly error?: unknown;
    readonly storage: StorageFailure;
    readonly now: Date;
  },
): JobFailure | undefined => {
  if (!waitingFor || waitingFor.reason === 'quota') return undefined;
  const { reason, since } = waitingFor;
  const seconds = patience[reason];
  if (seconds === undefined || since > iso(after(now, -seconds))) return undefined;
  const minutes = Math.floor((now.getTime() - Date.parse(since)) / 60_000);
  const last = error instanceof Error ? error.message : waitProblem;
  return new JobFailure(
    reason !== 'storage' ? 'INTERNAL_ERROR' : error instanceof StorageError ? storageCode(error, storage) : storage,
    `The ${reason === 'storage' ? 'bucket' : 'database'} has not answered for ${minutes} minutes${last ? `: ${last}` : ''}`,
    { reason: error instanceof StorageError ? error.code : reason, since },
    { cause: error },
  );
};
