import { setTimeout as pause } from 'node:timers/promises';
import { idsIn } from '../contract/ids.ts';
import { StorageError } from '../destination/index.ts';
import { log, withLogContext } from '../platform/index.ts';

/** Looked after at once. */
const lanes = 8;
/** What one job may take of a lane; removing what it stored goes on in the next run. */
const longestMs = 30_000;
/** Once one of an organization took all of that, its bucket hangs: enough for its others to be looked at and ended. */
const hangingMs = 5_000;

/** That a job is under way, or has ended and is not cleaned up after yet. */
export interface RunningJobItem {
  readonly organizationId: string;
  /** Names the job. */
  readonly sk: string;
}

export interface Reaped {
  readonly looked: number;
  /** Left to the next run, because a bucket did not answer in time. */
  readonly late: number;
  readonly failed: number;
}

/** Looks after all of them, each for a bounded time: one that fails or hangs, or all of one organization, keeps no other waiting. */
export const reapJobs = async <N extends RunningJobItem>(
  waiting: AsyncGenerator<N>,
  reap: (note: N) => Promise<void>,
  limits = { longestMs, hangingMs },
): Promise<Reaped> => {
  const hanging = new Set<string>();
  const count = { looked: 0, late: 0, failed: 0 };
  const lane = async (): Promise<void> => {
    for (let next = await waiting.next(); !next.done; next = await waiting.next()) {
      const { organizationId } = next.value;
      const note = next.value;
      const ms = hanging.has(organizationId) ? limits.hangingMs : limits.longestMs;
      const outcome = await withLogContext(idsIn(note), () => within(ms, reap(note), note));
      if (outcome === 'late') hanging.add(organizationId);
      if (outcome !== 'done') count[outcome] += 1;
      count.looked += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return count;
};

const within = async (ms: number, work: Promise<void>, { sk: job }: RunningJobItem): Promise<'done' | 'late' | 'failed'> => {
  const over = new AbortController();
  const ended = work.then(
    () => 'done' as const,
    (error: unknown) => outcomeOf(error, job),
  );
  const late = pause(ms, 'late' as const, { signal: over.signal }).catch(() => 'late' as const);
  try {
    const outcome = await Promise.race([ended, late]);
    if (outcome === 'late') log.warn('a job is looked after again by the next run', { job });
    return outcome;
  } finally {
    over.abort();
  }
};

/** A customer's bucket that does not answer is no fault of ours. */
const outcomeOf = (error: unknown, job: string): 'late' | 'failed' => {
  if (error instanceof StorageError) return 'late';
  const { name, message } = error as Error;
  log.error('a job could not be looked after', { job, reason: `${name}: ${message}` });
  return 'failed';
};
