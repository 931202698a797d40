import type { Clock } from '../../platform/index.ts';
import { cancellableSleep } from '../grpc/cancellable-sleep.ts';
import { grant, type RateGrant, type RateState, slowDown } from './rate-ramp.ts';

/** Says how fast to write. */
export interface RateLimiter {
  /** Resolves when some writes may be sent, up to as many as wanted, and they may be sent at once. */
  take(wanted: number, signal: AbortSignal | undefined): Promise<RateGrant>;
  /** The target said that the writes of this grant were too many. */
  exhausted(grant: RateGrant): Promise<void>;
}

/** Keeps the state that all workers of a job share. */
export interface RateStore {
  /**
   * Keeps what `step` makes of the present state, as if nobody else came between; `step` may run several times. A state that
   * comes back as the object it was need not be written.
   */
  change<T>(step: (state: RateState | undefined) => { readonly state: RateState; readonly result: T }): Promise<T>;
}

/** For one worker alone. */
export class MemoryRateStore implements RateStore {
  #state: RateState | undefined;

  async change<T>(step: (state: RateState | undefined) => { readonly state: RateState; readonly result: T }): Promise<T> {
    const { state, result } = step(this.#state);
    this.#state = state;
    return result;
  }
}

export interface SharedRateLimiterOptions {
  readonly store: RateStore;
  readonly clock: Clock;
  /** From 0 up to, and without, 1. */
  readonly random: () => number;
  readonly maxWritesPerSecond?: number | undefined;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Who finds everything given out asks again after about this time; within it what was given out is used up. */
const againMs = 1_500;

/** The pace of a whole job: however many workers have one on the same store, together they are as fast as one may be. */
export class SharedRateLimiter implements RateLimiter {
  readonly #options: SharedRateLimiterOptions;
  /** One question at a time: those of one worker would only get in each other's way. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SharedRateLimiterOptions) {
    this.#options = options;
  }

  async take(wanted: number, signal: AbortSignal | undefined): Promise<RateGrant> {
    const { sleep = cancellableSleep } = this.#options;
    for (;;) {
      const next = this.#turn.then(() => this.#ask(wanted, signal));
      this.#turn = next.catch(() => {});
      const given = await next;
      const waitMs = given.fromMs - this.#nowMs();
      if (waitMs > 0) await sleep(waitMs, signal);
      // Who overslept must not send what others are permitted by now.
      if (this.#nowMs() <= given.untilMs) return given;
    }
  }

  async exhausted(given: RateGrant): Promise<void> {
    const { store, maxWritesPerSecond } = this.#options;
    await store.change((state) => {
      const now = this.#nowMs();
      const known = state ?? grant(undefined, 1, maxWritesPerSecond, now).state;
      return { state: slowDown(known, given, maxWritesPerSecond, now), result: undefined };
    });
  }

  async #ask(wanted: number, signal: AbortSignal | undefined): Promise<RateGrant> {
    const { store, maxWritesPerSecond, random, sleep = cancellableSleep } = this.#options;
    for (;;) {
      const given = await store.change((before) => {
        const { state, grant: result } = grant(before, wanted, maxWritesPerSecond, this.#nowMs());
        return { state, result };
      });
      if (given) return given;
      // At random, so that many workers do not ask at the same moment.
      await sleep(againMs * (0.5 + random()), signal);
    }
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }
}
