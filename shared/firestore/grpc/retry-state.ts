import type { Availability } from './availability.ts';
import { classifyError } from './classify-error.ts';
import { SourceError } from './source-error.ts';
import { RpcError } from './status.ts';

/** Limits of retries before a source counts as unreachable. */
export interface SourceRetryPolicy {
  /** Consecutive attempts without progress. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Longer delays for an exhausted quota, as in the official clients. */
  readonly firstExhaustedDelayMs: number;
  readonly maxExhaustedDelayMs: number;
  /** Longer than the 60 s after which Firestore ends a query without results. */
  readonly silenceMs: number;
}

export const sourceRetryPolicy: SourceRetryPolicy = {
  attempts: 8,
  firstDelayMs: 100,
  maxDelayMs: 10_000,
  firstExhaustedDelayMs: 1_000,
  maxExhaustedDelayMs: 60_000,
  silenceMs: 75_000,
};

export interface SourceRetryOptions {
  readonly policy: SourceRetryPolicy;
  /** Random fraction in [0, 1). */
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly signal: AbortSignal | undefined;
  readonly availability: Availability;
}

/** Counts consecutive failures. Progress resets the count, so a long read may fail often. */
export class RetryState {
  readonly #options: SourceRetryOptions;
  #failures = 0;
  #hasRefreshed = false;
  /** Whether the next call needs a new token. */
  needsToken = false;
  /** Number of repeated calls. */
  repeats = 0;

  constructor(options: SourceRetryOptions) {
    this.#options = options;
  }

  progress(): void {
    this.#failures = 0;
    this.#hasRefreshed = false;
    this.#options.availability.succeeded();
  }

  /** Waits until the next attempt is due; throws if retrying is pointless. */
  async failed(error: unknown): Promise<void> {
    const verdict = classifyError(error);
    if (verdict instanceof SourceError) throw verdict;
    this.needsToken = verdict === 'refreshToken';
    if (this.needsToken) {
      // The new token was rejected too: the grant was revoked.
      if (this.#hasRefreshed)
        throw new SourceError('SOURCE_AUTH_ERROR', 'The source rejected the credentials.', { cause: error });
      this.#hasRefreshed = true;
      this.repeats += 1;
      return;
    }
    const { policy, random, sleep, signal, availability } = this.#options;
    availability.failed({ isExhausted: verdict === 'backOff' });
    this.#failures += 1;
    if (this.#failures >= policy.attempts)
      throw new SourceError('INTERNAL_ERROR', `The source did not answer ${this.#failures} calls in a row: ${statusOf(error)}.`, {
        cause: error,
        isTransient: true,
        isExhausted: verdict === 'backOff',
      });
    this.repeats += 1;
    await sleep(delayMs(this.#failures, { isExhausted: verdict === 'backOff', random, policy }), signal);
  }
}

const statusOf = (error: unknown): string => (error instanceof RpcError ? error.status : 'UNKNOWN');

/** Exponential back-off with jitter: doubles each time, minus up to half at random. */
export const delayMs = (
  failures: number,
  {
    isExhausted,
    random,
    policy,
  }: { readonly isExhausted: boolean; readonly random: () => number; readonly policy: SourceRetryPolicy },
): number => {
  const [first, max] = isExhausted
    ? [policy.firstExhaustedDelayMs, policy.maxExhaustedDelayMs]
    : [policy.firstDelayMs, policy.maxDelayMs];
  return Math.min(max, first * 2 ** (failures - 1)) * (1 - random() / 2);
};
