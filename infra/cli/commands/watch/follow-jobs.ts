/** Follows jobs through outages: tells each of them once when it begins and once when it ends, however short it is. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiFailure, NetworkFailure } from '../../../../shared/client/index.ts';
import { isActive, type JobSource, type WatchedJob } from './job-sources.ts';

interface JobEvent {
  readonly what: 'started' | 'ended';
  readonly job: WatchedJob;
}

export interface JobRound {
  /** Since the last round, in order. */
  readonly events: readonly JobEvent[];
  readonly running: readonly WatchedJob[];
  /** Why the service does not answer; undefined if it does. */
  readonly outage: Error | undefined;
}

/** One round after the other, until the signal is aborted. Only the first fails if the service does not answer. */
export async function* followJobs(sources: readonly JobSource[], signal: AbortSignal, pollMs = 2_000): AsyncGenerator<JobRound> {
  const followers = sources.map(followSource);
  const round = async (): Promise<void> => {
    for (const { update } of followers) await update();
  };
  const result = (outage?: Error): JobRound => ({
    events: followers.flatMap(({ takeEvents }) => takeEvents()),
    running: followers.flatMap(({ running }) => running()).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)),
    outage,
  });
  await round();
  for (;;) {
    yield result();
    await pause(pollMs, undefined, { signal });
    // A lost connection says nothing about the jobs.
    for (let error = await round().catch(outageOf); error; error = await round().catch(outageOf)) {
      yield result(error);
      await pause(pollMs, undefined, { signal });
    }
  }
}

const outageOf = (error: unknown): Error => {
  const isOutage =
    error instanceof NetworkFailure || (error instanceof ApiFailure && (error.status === 429 || error.status >= 500));
  if (!isOutage) throw error;
  return error;
};

const followSource = (source: JobSource) => {
  const running = new Map<string, WatchedJob>();
  const ended = new Set<string>();
  let events: JobEvent[] = [];
  let readAtMs: number | undefined;

  const note = (job: WatchedJob, isFirst: boolean): void => {
    // A verification of the same backup can be repeated.
    const key = source.kind === 'verification' ? `${job.id} ${job.createdAt}` : job.id;
    if (ended.has(key)) return;
    // What had ended before the first read is not told.
    if (!running.has(job.id) && !(isFirst && !isActive(job))) events.push({ what: 'started', job });
    if (isActive(job)) {
      running.set(job.id, job);
      return;
    }
    running.delete(job.id);
    ended.add(key);
    if (!isFirst) events.push({ what: 'ended', job });
  };

  return {
    running: (): readonly WatchedJob[] => [...running.values()],
    takeEvents: (): readonly JobEvent[] => {
      const taken = events;
      events = [];
      return taken;
    },
    update: async (): Promise<void> => {
      if (readAtMs !== undefined && Date.now() - readAtMs < source.everyMs) return;
      const found = await source.read();
      const listed = new Set(found.map(({ id }) => id));
      const unlisted = await Promise.all([...running.keys()].filter((id) => !listed.has(id)).map(source.readOne));
      for (const job of [...found, ...unlisted]) note(job, readAtMs === undefined);
      readAtMs = Date.now();
    },
  };
};
