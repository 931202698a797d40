/** Reaps all jobs of a kind that have stopped moving, at a pace that Step Functions accepts, within the time of one run. */
import { setTimeout as pause } from 'node:timers/promises';
import { idsIn } from '../contract/ids.ts';
import { StorageError } from '../destination/index.ts';
import {
  after,
  type Clock,
  get,
  getAll,
  isAwsError,
  iso,
  type Key,
  log,
  type Tenant,
  updateItem,
  walk,
  withLogContext,
} from '../platform/index.ts';
import { mayNeedReaping, type ReapedJob, type ReapedKind, type RunningJobItem, reapJob } from './reap-job.ts';

const maxConcurrentJobs = 8;
/** The longest time for one job. The next run continues to delete its objects. */
const longestMs = 30_000;
/** The limit after a timeout in the same organization, whose bucket probably hangs: enough to end its other jobs. */
const hangingMs = 5_000;
/** No job is looked at after so much of the 300 s of a run: the last ones take their time, too. */
const runSeconds = 240;
/** Records read at once. */
const pageSize = 100;
/** Step Functions allows about ten descriptions a second in an account, and there are three reapers. */
const looksPerSecond = 3;

interface Reaped {
  readonly looked: number;
  /** Left to the next run, because a bucket or Step Functions did not respond in time. */
  readonly late: number;
  readonly failed: number;
}

/** Waits on the clock of the jobs. */
type Wait = (ms: number) => Promise<unknown>;

/**
 * Reaps the jobs of a kind that do not move. A run that has no time left, or is throttled, continues in the next one with the job it
 * stopped at. Throws if some could not be checked: the error raises the alarm, and the next run retries.
 */
export const reapRunningJobs = async <I extends RunningJobItem, J extends ReapedJob>(
  kind: ReapedKind<I, J>,
  tenantOf: (item: I) => Tenant,
  wait: Wait = pause,
): Promise<void> => {
  const { name, partition, clock } = kind;
  const key = positionKey(partition);
  const position = (await get(key))?.position;
  const until = after(clock.now(), runSeconds);
  const round = new Round(kind, tenantOf, until);
  const jobs = paced(round.jobs(position), clock, wait);
  const { looked, late, failed } = await reapJobs(jobs, async (item) => {
    if (round.isThrottled) return round.stopAt(item);
    try {
      await reapJob(kind, tenantOf(item), item);
    } catch (error) {
      if (!isThrottled(error)) throw error;
      round.isThrottled = true;
      round.stopAt(item);
    }
  });
  await savePosition(key, position, round.stoppedAt);
  log.info(`running ${name}s checked`, { looked, late, failed, running: round.running, isComplete: !round.isStopped });
  if (failed > 0) throw new Error(`${failed} of ${looked} running ${name}s could not be checked`);
};

/** One round through the jobs, beginning where the last run stopped. */
class Round<I extends RunningJobItem, J extends ReapedJob> {
  readonly #kind: ReapedKind<I, J>;
  readonly #tenantOf: (item: I) => Tenant;
  readonly #until: Date;
  /** The order of the jobs that were handed out, by sort key. */
  readonly #order = new Map<string, number>();
  /** The sort key of the first job that was not looked at. */
  stoppedAt: string | undefined;
  isThrottled = false;
  running = 0;

  constructor(kind: ReapedKind<I, J>, tenantOf: (item: I) => Tenant, until: Date) {
    this.#kind = kind;
    this.#tenantOf = tenantOf;
    this.#until = until;
  }

  get isStopped(): boolean {
    return this.stoppedAt !== undefined;
  }

  /** Several jobs are in progress at a time: the next run begins with the first of them that was not looked at. */
  stopAt({ sk }: Pick<I, 'sk'>): void {
    const positionOf = (key: string): number => this.#order.get(key) ?? Number.POSITIVE_INFINITY;
    if (this.stoppedAt === undefined || positionOf(sk) < positionOf(this.stoppedAt)) this.stoppedAt = sk;
  }

  /** The jobs that may need reaping. */
  async *jobs(position: string | undefined): AsyncGenerator<I> {
    const { clock, recordKey } = this.#kind;
    for await (const page of pages(this.#items(position))) {
      const loaded = await getAll(page.map((item) => recordKey(this.#tenantOf(item), item)));
      this.running += page.length;
      for (const [n, item] of page.entries()) {
        if (!mayNeedReaping(loaded[n] as J | undefined, item, clock.now())) continue;
        if (clock.now() >= this.#until) this.stopAt(item);
        if (this.isStopped) return;
        this.#order.set(item.sk, this.#order.size);
        yield item;
      }
    }
  }

  async *#items(position: string | undefined): AsyncGenerator<I> {
    // Sort keys before this one belong to the reaper itself.
    const all = { pk: this.#kind.partition, prefix: '', from: '0' };
    // Most that wait have ended, some of them years before their clean-up.
    const isDue = ({ dueAt = '' }: I): boolean => dueAt <= iso(this.#kind.clock.now());
    for await (const item of walk<I>({ ...all, ...(position !== undefined && { from: position }) })) if (isDue(item)) yield item;
    if (position === undefined) return;
    for await (const item of walk<I>({ ...all, to: position })) if (item.sk !== position && isDue(item)) yield item;
  }
}

async function* pages<T>(items: AsyncGenerator<T>): AsyncGenerator<readonly T[]> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function* paced<T>(items: AsyncGenerator<T>, clock: Clock, wait: Wait): AsyncGenerator<T> {
  let nextMs = clock.now().getTime();
  for await (const item of items) {
    const restMs = nextMs - clock.now().getTime();
    if (restMs > 0) await wait(restMs);
    nextMs = Math.max(nextMs, clock.now().getTime()) + 1_000 / looksPerSecond;
    yield item;
  }
}

const positionKey = (partition: string): Key<{ readonly position?: string }> => ({ pk: partition, sk: '#REAPER' });

const savePosition = async (key: Key, before: string | undefined, position: string | undefined): Promise<void> => {
  if (before === position) return;
  await updateItem({
    update: key,
    expression: position === undefined ? 'REMOVE #position' : 'SET #position = :position',
    names: { '#position': 'position' },
    ...(position !== undefined && { values: { ':position': position } }),
  });
};

const isThrottled = (error: unknown): boolean => isAwsError(error, 'ThrottlingException');

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
