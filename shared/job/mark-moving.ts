import { after, bestEffort, iso, type Key, set, updateItem } from '../platform/index.ts';

/** The record of a running job moves at least this often while one of its workers lives. */
export const markSeconds = 60;

interface MovingJob {
  readonly startedAt?: string | null;
  /** When a worker of the job was last seen. */
  readonly seenAt?: string;
}

/**
 * Records that a worker of the job lives, once a minute for all of its workers: each reads the record every two seconds. The reaper
 * asks Step Functions only about jobs that do not move.
 */
export const markMoving = async (key: Key, { startedAt, seenAt }: MovingJob, now: Date): Promise<void> => {
  const last = seenAt ?? startedAt ?? '';
  if (last > iso(after(now, -markSeconds))) return;
  await bestEffort('mark the job as moving', updateItem(set(key, { seenAt: iso(now) }, { expected: { status: 'running' } })));
};
