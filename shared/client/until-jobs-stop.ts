import { ApiFailure } from './failures.ts';

/** Each call waits for 14 seconds. A restore test first removes what it wrote. */
const callsMax = 20;

/** Repeats a deletion with `cancelJobs` while jobs that it cancels have not stopped yet. */
export const untilJobsStop = async <T>(remove: () => Promise<T>): Promise<T> => {
  for (let calls = 1; ; calls++)
    try {
      return await remove();
    } catch (error) {
      const isStopping = error instanceof ApiFailure && error.code === 'JOB_IN_PROGRESS';
      if (!isStopping || calls >= callsMax) throw error;
    }
};
