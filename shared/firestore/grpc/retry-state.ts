import { classifyError } from './classify-error.ts';
import { delayMs, type RetryPolicy } from './retry-policy.ts';
import { SourceError } from './source-error.ts';
import { RpcError } from './status.ts';

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
