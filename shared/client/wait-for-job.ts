/** Waits for the end of a job. */
import { ApiFailure, NetworkFailure } from './failures.ts';
import type { DataOf } from './routes.ts';
import { pause } from './send-request.ts';

export interface Jobs {
  readonly backup: DataOf<'GET /backups/{backupId}'>;
  readonly restore: DataOf<'GET /backups/restore/{restoreJobId}'>;
  readonly export: DataOf<'GET /exports/{exportId}'>;
}
export type JobKind = keyof Jobs;
export type JobReaders = { readonly [K in JobKind]: (id: string, signal: AbortSignal | undefined) => Promise<Jobs[K]> };

export interface WaitOptions<Job> {
  readonly signal?: AbortSignal | undefined;
  /** Called with every state that was read, the last one included. */
  readonly onProgress?: ((job: Job) => void) | undefined;
  /** When to stop; by default when the job is neither pending nor running. */
  readonly until?: ((job: Job) => boolean) | undefined;
  /** The first delay between two reads; it grows by a half each time, up to ten times. */
  readonly intervalMs?: number | undefined;
}

const intervalMs = 500;
const intervalFactorMax = 10;

export const waitForJob = async <Job extends Jobs[JobKind]>(
  read: (signal: AbortSignal | undefined) => Promise<Job>,
  options: WaitOptions<Job> = {},
): Promise<Job> => {
  const { signal, onProgress, until = hasEnded } = options;
  const first = options.intervalMs ?? intervalMs;
  for (let factor = 1; ; factor = Math.min(factor * 1.5, intervalFactorMax)) {
    const job = await read(signal).catch(ignoreOutage);
    if (job) onProgress?.(job);
    if (job && until(job)) return job;
    await pause(first * factor, signal);
  }
};

const hasEnded = ({ status }: Jobs[JobKind]): boolean => status !== 'pending' && status !== 'running';

const ignoreOutage = (error: unknown): undefined => {
  const isOutage =
    error instanceof NetworkFailure || (error instanceof ApiFailure && (error.status === 429 || error.status >= 500));
  if (!isOutage) throw error;
};
