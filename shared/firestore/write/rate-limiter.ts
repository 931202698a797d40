import type { Clock } from '../../platform/index.ts';
import { cancellableSleep } from '../grpc/cancellable-sleep.ts';
import { grant, type RateGrant, type RateState, slowDown } from './rate-ramp.ts';

/** Limits the write rate. */
export interface RateLimiter {
  /** Resolves when up to `wanted` writes may be sent at once. */
  take(wanted: number, signal: AbortSignal | undefined): Promise<RateGrant>;
  /** The target rejected the writes of this grant as too many. */
  exhausted(grant: RateGrant): Promise<void>;
}

/** Stores the rate state shared by all workers of a job. */
export interface RateStore {
  /** Applies `step` atomically; it may run several times. A state returned unchanged need not be written. */
  change<T>(step: (state: RateState | undefined) => { readonly state: RateState; readonly result: T }): Promise<T>;
}

interface SharedRateLimiterOptions {
  readonly store: RateStore;
  readonly clock: Clock;
  /** Random fraction in [0, 1). */
  readonly random: () => number;
  readonly maxWritesPerSecond?: number | undefined;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Delay before asking again if all capacity is granted; by then it is used up. */
const retryMs = 1_500;

/** Rate limiter of a whole job: all workers with the same store share one rate. */
export class SharedRateLimiter implements RateLimiter {
  readonly #options: SharedRateLimiterOptions;
  /** Requests are serialized: those of one worker would conflict with each other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: SharedRateLimiterOptions) {
    this.#options = options;
  }

  async take(wanted: number, signal: AbortSignal | undefined): Promise<RateGrant> {
    const { sleep = cancellableSleep } = this.#options;
    for (;;) {
      const next = this.#queue.then(() => this.#ask(wanted, signal));
      this.#queue = next.catch(() => {});
      const granted = await next;
      const waitMs = granted.fromMs - this.#nowMs();
      if (waitMs > 0) await sleep(waitMs, signal);
      // An expired grant must not be used: its capacity may be granted to others.
      if (this.#nowMs() <= granted.untilMs) return granted;
    }
  }

  async exhausted(granted: RateGrant): Promise<void> {
    const { store, maxWritesPerSecond } = this.#options;
    await store.change((state) => {
      const now = this.#nowMs();
      const known = state ?? grant(undefined, { wanted: 1, maxPerSecond: maxWritesPerSecond, nowMs: now }).state;
      return { state: slowDown(known, { first: granted, maxPerSecond: maxWritesPerSecond, nowMs: now }), result: undefined };
    });
  }

  async #ask(wanted: number, signal: AbortSignal | undefined): Promise<RateGrant> {
    const { store, maxWritesPerSecond, random, sleep = cancellableSleep } = this.#options;
    for (;;) {
      const granted = await store.change((before) => {
        const { state, grant: result } = grant(before, { wanted, maxPerSecond: maxWritesPerSecond, nowMs: this.#nowMs() });
        return { state, result };
      });
      if (granted) return granted;
      // Jitter, so that workers do not ask at the same moment.
      await sleep(retryMs * (0.5 + random()), signal);
    }
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }
}
