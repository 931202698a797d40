/** How every step of the workflow runs: a failure for good is on the record before it is thrown, anything else is tried again. */
import { ArchiveError } from '../archive/index.ts';
import { ApiError } from '../contract/errors.ts';
import { StorageError } from '../destination/index.ts';
import { SourceError } from '../firestore/index.ts';
import { bestEffort, commit, isConflict, isTransientAwsError, type Key, log } from '../platform/index.ts';
import { failureOf, type JobFailure, type StorageFailure, storageCode } from './job-failure.ts';
import { JobEndedError, type Reason } from './running-job.ts';

/** Step Functions tries again whatever is thrown, except an error of this name: then the reason stands on the record. */
const finalName = 'JobFailed';

/** What a step works for. */
export interface Job {
  readonly id: string;
  /** Its record. */
  readonly key: Key;
  /** What the service does for it: "make the backup". */
  readonly task: string;
  /** What was wanted of the store when it refuses, unless the step says so itself. */
  readonly storage?: StorageFailure;
  /** Which of its attempts the step is of: of an earlier one there is nothing to tell any more. */
  readonly attempt?: number | undefined;
}

export const runStep = async <T>(job: Job, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof JobEndedError) throw named(finalName, error.message);
    const failure = failureOf(error, job.storage);
    if (failure) {
      log.warn('the job fails', { jobId: job.id, code: failure.code, reason: failure.message });
      await tell(job, 'failure', reasonOf(failure));
      throw named(finalName, `${failure.code}: ${failure.message}`);
    }
    await bestEffort('note what the step stumbled over', tell(job, 'trouble', troubleOf(error, job)));
    throw withoutCause(error);
  }
};

/** The same as an answer: undefined for what has failed for good, which is no error of the function. */
export const answerStep = async <T>(job: Job, work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await runStep(job, work);
  } catch (error) {
    if ((error as Error).name !== finalName) throw error;
    return undefined;
  }
};

export const reasonOf = ({ code, message, details }: JobFailure): Reason => ({ code, message, ...(details && { details }) });

/** The first failure wins, the last trouble counts; of a job that has ended there is nothing to tell. */
const tell = async ({ key, attempt }: Job, attribute: 'failure' | 'trouble', reason: Reason): Promise<void> => {
  try {
    await commit([
      {
        update: key,
        expression: 'SET #attribute = :reason',
        condition: [
          '#status IN (:pending, :running) AND attribute_not_exists(#failure)',
          ...(attempt === undefined ? [] : ['attempt = :attempt']),
        ].join(' AND '),
        names: { '#attribute': attribute, '#status': 'status', '#failure': 'failure' },
        values: {
          ...{ ':reason': reason, ':pending': 'pending', ':running': 'running' },
          ...(attempt !== undefined && { ':attempt': attempt }),
        },
      },
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
};

/** Only our own words are kept: what others throw may quote what it was working on. */
const troubleOf = (error: unknown, job: Job): Reason => {
  if (error instanceof StorageError)
    return { code: storageCode(error, job.storage ?? 'STORAGE_UPLOAD_ERROR'), message: error.message };
  if (error instanceof SourceError) return { code: 'INTERNAL_ERROR', message: error.message };
  if (isTransientAwsError(error) || (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE'))
    return { code: 'INTERNAL_ERROR', message: 'A part of the service did not answer' };
  return { code: 'INTERNAL_ERROR', message: `The service could not ${job.task}` };
};

/** Causes of what a store or a source says may hold headers and addresses; they stay out of logs and the workflow's history. */
const withoutCause = (error: unknown): unknown =>
  error instanceof StorageError || error instanceof SourceError || error instanceof ArchiveError || error instanceof ApiError
    ? named(error.name, error.message)
    : error;

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });
