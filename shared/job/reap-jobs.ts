import { setTimeout as pause } from 'node:timers/promises';
import { idsIn } from '../contract/ids.ts';
import { StorageError } from '../destination/index.ts';
import { log, type Tenant, walk, withLogContext } from '../platform/index.ts';
import { type JobKind, type ReapedJob, type RunningJobItem, reapJob } from './reap-job.ts';

const maxConcurrentJobs = 8;
/** The longest time for one job. The next run continues to delete its objects. */
const longestMs = 30_000;
/** The limit after a timeout in the same organization, whose bucket probably hangs: enough to end its other jobs. */
const hangingMs = 5_000;

interface Reaped {
  readonly looked: number;
  /** Left to the next run, because a bucket did not respond in time. */
  readonly late: number;
  readonly failed: number;
}

/** Reaps all jobs of a kind. Throws if some could not be checked: the error raises the alarm, and the next run retries. */
export const reapRunningJobs = async <I extends RunningJobItem, J extends ReapedJob>(
  kind: JobKind<I, J>,
  tenantOf: (item: I) => Tenant,
): Promise<void> => {
  const { name, partition } = kind;
  const items = walk<I>({ pk: partition, prefix: '', from: '0' });
  const { looked, late, failed } = await reapJobs(items, (item) => reapJob(kind, tenantOf(item), item));
  log.info(`running ${name}s checked`, { looked, late, failed });
  if (failed > 0) throw new Error(`${failed} of ${looked} running ${name}s could not be checked`);
};

/** Runs `reap` for every job, each within a time limit, so that a failing or hanging organization does not delay the others. */
export const reapJobs = async <N extends Pick<RunningJobItem, 'organizationId' | 'sk'>>(
  waiting: AsyncGenerator<N>,
  reap: (item: N) => Promise<void>,
  limits = { longestMs, hangingMs },
): Promise<Reaped> => {
  const hanging = new Set<string>();
  const count = { looked: 0, late: 0, failed: 0 };
  const worker = async (): Promise<void> => {
    for (let next = await waiting.next(); !next.done; next = await waiting.next()) {
      const item = next.value;
      const { organizationId } = item;
      const ms = hanging.has(organizationId) ? limits.hangingMs : limits.longestMs;
      const outcome = await withLogContext(idsIn(item), () => within(ms, reap(item), item));
      if (outcome === 'late') hanging.add(organizationId);
      if (outcome !== 'done') count[outcome] += 1;
      count.looked += 1;
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentJobs }, worker));
  return count;
};

const within = async (
  ms: number,
  work: Promise<void>,
  { sk: job }: { readonly sk: string },
): Promise<'done' | 'late' | 'failed'> => {
  const abort = new AbortController();
  const ended = work.then(
    () => 'done' as const,
    (error: unknown) => outcomeOf(error, job),
  );
  const timeout = pause(ms, 'late' as const, { signal: abort.signal }).catch(() => 'late' as const);
  try {
    const outcome = await Promise.race([ended, timeout]);
    if (outcome === 'late') log.warn('job not reaped in time; the next run retries', { job });
    return outcome;
  } finally {
    abort.abort();
  }
};

/** An unavailable bucket of a customer is not a failure of the reaper. */
const outcomeOf = (error: unknown, job: string): 'late' | 'failed' => {
  if (error instanceof StorageError) return 'late';
  const { name, message } = error as Error;
  log.error('job could not be reaped', { job, reason: `${name}: ${message}` });
  return 'failed';
};
