/** Runs a workflow step. A permanent failure is written to the job's record before it is thrown; other errors are retried. */
import { ArchiveError } from '../archive/index.ts';
import { ApiError } from '../contract/errors.ts';
import { StorageError } from '../destination/index.ts';
import { SourceError } from '../firestore/index.ts';
import { bestEffort, commit, isConflict, isTransientAwsError, type Key, log, oneOf, update } from '../platform/index.ts';
import { failureOf, type JobFailure, type StorageFailure, storageCode } from './job-failure.ts';
import { JobEndedError, type Reason } from './running-job.ts';

/** Step Functions retries every error except this one, whose reason is on the record. */
const finalName = 'JobFailed';

/** The job of a step. */
export interface Job {
  readonly id: string;
  readonly key: Key;
  /** Completes "The service could not …", such as "make the backup". */
  readonly task: string;
  /** The code of a StorageError that the step does not classify itself. */
  readonly storage?: StorageFailure;
  /** The attempt that the step belongs to. Steps of an earlier attempt do not write to the record. */
  readonly attempt?: number | undefined;
  /** Called with a transient error. It may return the failure of a job that has waited for too long. */
  readonly onTransient?: (error: unknown) => Promise<JobFailure | undefined>;
}

export const runStep = async <T>(job: Job, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof JobEndedError) throw named(finalName, error.message);
    const failure = failureOf(error, job.storage) ?? (await waitedTooLong(job, error));
    if (failure) {
      log.warn('job failed', { jobId: job.id, code: failure.code, reason: failure.message });
      await record(job, 'failure', reasonOf(failure));
      throw named(finalName, `${failure.code}: ${failure.message}`);
    }
    await bestEffort('record the error of the step', record(job, 'trouble', transientReason(error, job)));
    throw withoutCause(error);
  }
};

const waitedTooLong = async ({ id, onTransient }: Job, error: unknown): Promise<JobFailure | undefined> => {
  try {
    return await onTransient?.(error);
  } catch (failed) {
    log.warn('could not record what the job waits for', { jobId: id, reason: (failed as Error).name });
    return undefined;
  }
};

/** Like `runStep`, but returns undefined for a permanent failure, which is not an error of the function. */
export const answerStep = async <T>(job: Job, work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await runStep(job, work);
  } catch (error) {
    if ((error as Error).name !== finalName) throw error;
    return undefined;
  }
};

export const reasonOf = ({ code, message, details }: JobFailure): Reason => ({ code, message, ...(details && { details }) });

/** The first failure and the last transient error are kept. A job that has ended stays unchanged. */
const record = async ({ key, attempt }: Job, attribute: 'failure' | 'trouble', reason: Reason): Promise<void> => {
  const expected = {
    status: oneOf('pending', 'running'),
    failure: undefined,
    ...(attempt !== undefined && { attempt }),
  };
  try {
    await commit([update(key, { set: { [attribute]: reason }, expected })]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
};

/** Keeps only our own messages: those of other errors may quote customer data. */
const transientReason = (error: unknown, job: Job): Reason => {
  if (error instanceof StorageError)
    return { code: storageCode(error, job.storage ?? 'STORAGE_UPLOAD_ERROR'), message: error.message };
  if (error instanceof SourceError) return { code: 'INTERNAL_ERROR', message: error.message };
  if (isTransientAwsError(error) || (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE'))
    return { code: 'INTERNAL_ERROR', message: 'A component of the service did not respond' };
  return { code: 'INTERNAL_ERROR', message: `The service could not ${job.task}` };
};

/** Causes of these errors may contain headers and addresses, which must not reach logs or the workflow's history. */
const withoutCause = (error: unknown): unknown =>
  error instanceof StorageError || error instanceof SourceError || error instanceof ArchiveError || error instanceof ApiError
    ? named(error.name, error.message)
    : error;

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });
