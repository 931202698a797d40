/**
 * Runs the template's functions. As on Lambda, an event that finds no idle instance starts a new one; beyond the limits events
 * wait in order. Beyond the concurrency of the account they are refused, as Lambda throttles them, and the function's log names what
 * runs. A third or later instance starts only for an event that has waited for a while: most bursts are over sooner, and the instance
 * would idle. If another function needs room, the least recently used idle instance is stopped.
 *
 * Instances are threads, not calls in this process: environment, module state, credentials and crashes stay isolated, and
 * the caller is identified by its access key. Measured on two cores: an instance starts in 80 to 120 ms and uses
 * 18 to 23 MB; a warm run costs 0.1 ms.
 */
import type { FunctionSpec } from './function-spec.ts';
import { FunctionError, throttled } from './function-spec.ts';
import { type Instance, type LambdaHostOptions, startInstance } from './instance.ts';

export interface Host {
  /** Runs a function by ARN or name. Rejects with a FunctionError. */
  invoke(functionArn: string, payload: unknown): Promise<unknown>;
  /** Settles once the function is bundled; undefined if it is. Its invocations wait for that, too. */
  whenBundled(functionArn: string): Promise<void> | undefined;
  /** Called after every run, when its writes are done. */
  onRun(listener: () => void): void;
  readonly instances: () => number;
  stop(): Promise<void>;
}

export interface HostLimits {
  readonly perFunction: number;
  /** The most instances of a function with a queue trigger: its events must not wait for each other to end. */
  readonly perFedFunction: number;
  readonly total: number;
  /** How long an event waits for one of two busy instances before it starts another. Default: not at all. */
  readonly patienceMs?: number;
}

/** Calls that race each other need two instances. */
const startedAtOnce = 2;

/** All instances together may use a third of the available memory. */
const instanceBytes = 28 * 1024 ** 2;
const instancesOf = (memoryBytes: number): number => Math.floor(memoryBytes / 3 / instanceBytes);

/**
 * 48 instances use about 1.3 GB and keep half of the functions warm. With enough memory all stay warm: a cold start costs as much
 * CPU as a thousand warm runs. If all queue consumers are busy (hanging deliveries, open Listen streams), a third of the instances
 * remains for the other functions.
 */
const total = Math.min(320, Math.max(48, instancesOf(process.availableMemory())));
/** The most instances of a function with a queue trigger. Continuous capture keeps one busy for each project. */
export const fedInstancesMax = total >= 192 ? 16 : 8;
const limitsByDefault: HostLimits = { perFunction: 4, perFedFunction: fedInstancesMax, total, patienceMs: 500 };

const instancesMax = ({ concurrency, fedAtOnce }: FunctionSpec, limits: HostLimits): number =>
  Math.min(
    fedAtOnce === undefined ? limits.perFunction : Math.min(limits.perFedFunction, fedAtOnce),
    concurrency ?? Number.POSITIVE_INFINITY,
  );

const stopping = (): FunctionError => new FunctionError('crashed', 'ServiceUnavailable', 'the stage is stopping');

const unbundled = ({ message }: Error): FunctionError =>
  new FunctionError('crashed', 'ServiceUnavailable', `the function could not be bundled: ${message}`);

interface Job {
  readonly event: string;
  readonly sinceMs: number;
  readonly done: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
}

interface HostedInstance {
  readonly instance: Instance;
  busy: boolean;
  usedAt: number;
}

interface Pool {
  readonly spec: FunctionSpec;
  readonly instances: Set<HostedInstance>;
  readonly waiting: Job[];
  /** Until the first waiting event may start another instance. */
  patience: NodeJS.Timeout | undefined;
}

export const startHost = (functions: readonly FunctionSpec[], options: LambdaHostOptions, limits = limitsByDefault): Host => {
  const reserved = functions.reduce((sum, { concurrency = 0 }) => sum + concurrency, 0);
  const unreserved = (options.accountConcurrency ?? Number.POSITIVE_INFINITY) - reserved;
  /** Events under way in functions without a reservation. */
  let underWay = 0;
  const pools = new Map<string, Pool>();
  for (const spec of functions) {
    const pool: Pool = { spec, instances: new Set(), waiting: [], patience: undefined };
    for (const id of [spec.arn, spec.name, ...(spec.aliasArns ?? [])]) pools.set(id, pool);
  }
  const all = new Set(pools.values());
  const listeners: (() => void)[] = [];
  /** Pools whose first event waits for an instance of another function to stop. */
  const starved = new Set<Pool>();
  let useCount = 0;
  let stopped = false;

  const count = (): number => [...all].reduce((sum, pool) => sum + pool.instances.size, 0);

  const runningFunctions = (): string =>
    [...all]
      .map(({ spec, instances, waiting }) => ({
        spec,
        events: waiting.length + [...instances].filter(({ busy }) => busy).length,
      }))
      .filter(({ events }) => events > 0)
      .map(({ spec, events }) => `${events} ${spec.name}`)
      .join(', ');

  const evict = (): boolean => {
    let oldest: { pool: Pool; hosted: HostedInstance } | undefined;
    for (const pool of all) {
      for (const hosted of pool.instances) {
        if (!hosted.busy && (!oldest || hosted.usedAt < oldest.hosted.usedAt)) oldest = { pool, hosted };
      }
    }
    if (!oldest) return false;
    oldest.pool.instances.delete(oldest.hosted);
    void oldest.hosted.instance.stop();
    return true;
  };

  /** Reuses the most recently used idle instance, so that surplus ones age; otherwise starts one if the limits allow it. */
  const findInstance = (pool: Pool): HostedInstance | undefined => {
    // An instance that died while idle must not receive an event.
    for (const hosted of pool.instances) if (hosted.instance.isDead()) pool.instances.delete(hosted);
    const idle = [...pool.instances].filter((hosted) => !hosted.busy).sort((a, b) => b.usedAt - a.usedAt)[0];
    if (idle) return idle;
    if (pool.instances.size >= instancesMax(pool.spec, limits)) return undefined;
    const patienceMs = (pool.waiting[0]?.sinceMs ?? 0) + (limits.patienceMs ?? 0) - performance.now();
    if (pool.instances.size >= startedAtOnce && patienceMs > 0) {
      pool.patience ??= setTimeout(() => {
        pool.patience = undefined;
        pump(pool);
      }, patienceMs);
      return undefined;
    }
    if (count() >= limits.total && !evict()) {
      starved.add(pool);
      return undefined;
    }
    const hosted: HostedInstance = { instance: startInstance(pool.spec, options), busy: false, usedAt: 0 };
    pool.instances.add(hosted);
    return hosted;
  };

  const pump = (pool: Pool): void => {
    while (pool.waiting.length > 0 && !stopped) {
      const hosted = findInstance(pool);
      if (!hosted) return;
      const job = pool.waiting.shift();
      if (job) void work(pool, hosted, job);
    }
    starved.delete(pool);
  };

  const work = async (pool: Pool, hosted: HostedInstance, job: Job): Promise<void> => {
    hosted.busy = true;
    try {
      job.done(JSON.parse(await hosted.instance.run(job.event)));
    } catch (error) {
      job.fail(error);
    } finally {
      hosted.busy = false;
      hosted.usedAt = ++useCount;
      if (hosted.instance.isDead()) {
        pool.instances.delete(hosted);
        void hosted.instance.stop();
      }
      for (const listener of listeners) listener();
      // Starved pools come first; otherwise a function that is never idle would keep its instances for ever.
      for (const hungry of [...starved]) pump(hungry);
      pump(pool);
    }
  };

  const whenBundled = (pool: Pool): Promise<void> | undefined => options.whenBundled?.(pool.spec.entry);

  return {
    whenBundled: (functionArn) => {
      const pool = pools.get(functionArn);
      return pool && whenBundled(pool);
    },
    invoke: (functionArn, payload) =>
      new Promise((done, fail) => {
        const pool = pools.get(functionArn);
        if (!pool) return fail(new FunctionError('threw', 'ResourceNotFoundException', `Function not found: ${functionArn}`));
        if (stopped) return fail(stopping());
        const isReserved = pool.spec.concurrency !== undefined;
        if (!isReserved && underWay >= unreserved) {
          options.log(pool.spec).write(`throttled, because ${runningFunctions()} run\n`);
          return fail(throttled());
        }
        const end =
          <A>(tell: (answer: A) => void) =>
          (answer: A): void => {
            if (!isReserved) underWay -= 1;
            tell(answer);
          };
        if (!isReserved) underWay += 1;
        const event = JSON.stringify(payload) ?? 'null';
        const job = { event, done: end(done), fail: end(fail) };
        const enqueue = (): void => {
          if (stopped) job.fail(stopping());
          else {
            pool.waiting.push({ ...job, sinceMs: performance.now() });
            pump(pool);
          }
        };
        const bundling = whenBundled(pool);
        if (bundling) bundling.then(enqueue, (error: Error) => job.fail(unbundled(error)));
        else enqueue();
      }),
    onRun: (listener) => void listeners.push(listener),
    instances: () => [...all].flatMap(({ instances }) => [...instances]).filter(({ instance }) => !instance.isDead()).length,
    stop: async () => {
      stopped = true;
      for (const { patience } of all) clearTimeout(patience);
      for (const job of [...all].flatMap((pool) => pool.waiting.splice(0))) job.fail(stopping());
      await Promise.all([...all].flatMap((pool) => [...pool.instances].map((hosted) => hosted.instance.stop())));
    },
  };
};
