import { classifyError } from './classify-error.ts';
import { SourceError } from './source-error.ts';
import { RpcError } from './status.ts';

/** How long and how often to try before a source counts as unreachable. */
export interface RetryPolicy {
  /** Tries in a row that bring nothing. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly mostDelayMs: number;
  /** A source that is asked too much is left alone for longer, as the official clients do. */
  readonly firstExhaustedDelayMs: number;
  readonly mostExhaustedDelayMs: number;
  /** Longer than the 60 s after which the service itself ends a query that found nothing yet. */
  readonly silenceMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 8,
  firstDelayMs: 100,
  mostDelayMs: 10_000,
  firstExhaustedDelayMs: 1_000,
  mostExhaustedDelayMs: 60_000,
  silenceMs: 75_000,
};

/** What trying again needs from outside. */
export interface RetryOptions {
  readonly policy: RetryPolicy;
  /** From 0 up to, and without, 1. */
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly signal: AbortSignal | undefined;
}

/** Counts failures in a row; progress starts the count anew, so a long read may fail often but never for nothing. */
export class RetryState {
  readonly #options: RetryOptions;
  #failures = 0;
  #hasRefreshed = false;
  /** Whether the next call must come with a new token. */
  needsToken = false;
  /** How often a call was made again. */
  repeats = 0;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  progress(): void {
    this.#failures = 0;
    this.#hasRefreshed = false;
  }

  /** Returns when it is time to try again; throws what the failure means when there is no use in it. */
  async failed(error: unknown): Promise<void> {
    const verdict = classifyError(error);
    if (verdict instanceof SourceError) throw verdict;
    this.needsToken = verdict === 'refresh';
    if (verdict === 'refresh') {
      // A new token that is refused as well: the grant is gone.
      if (this.#hasRefreshed)
        throw new SourceError('SOURCE_AUTH_ERROR', 'The source does not accept the credentials.', { cause: error });
      this.#hasRefreshed = true;
      this.repeats += 1;
      return;
    }
    const { policy, random, sleep, signal } = this.#options;
    this.#failures += 1;
    if (this.#failures >= policy.attempts)
      throw new SourceError('INTERNAL_ERROR', `The source did not answer after ${this.#failures} attempts: ${statusOf(error)}.`, {
        cause: error,
        isTransient: true,
      });
    this.repeats += 1;
    await sleep(delayMs(this.#failures, verdict === 'rest', random, policy), signal);
  }
}

const statusOf = (error: unknown): string => (error instanceof RpcError ? error.status : 'UNKNOWN');

/** Twice as long each time, less a random half: many readers of one source must not come back at the same moment. */
export const delayMs = (failures: number, isExhausted: boolean, random: () => number, of: RetryPolicy): number => {
  const [first, most] = isExhausted ? [of.firstExhaustedDelayMs, of.mostExhaustedDelayMs] : [of.firstDelayMs, of.mostDelayMs];
  return Math.min(most, first * 2 ** (failures - 1)) * (1 - random() / 2);
};
