/** What an attempt means for its delivery. */
import type { PostOutcome } from '../../platform/index.ts';
import { retryDelay } from './retry-delay.ts';

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly error: string; readonly delaySeconds: number }
  /** `isGone`: the endpoint says that it will never be back. */
  | { readonly kind: 'failed'; readonly error: string; readonly isGone: boolean };

/** Where an attempt stands: its number of all, how many were made before its round, and whether another follows if it fails. */
export interface AttemptPosition {
  readonly attempt: number;
  readonly roundStart: number;
  readonly willRetry: boolean;
  readonly timeoutMs: number;
}

const gone = 410;
/** These may say when they want to be asked again. */
const busy = [429, 503];

/** Only an answer of 200 to 299 is a delivery; a redirect is none, and is not followed. */
export const classifyOutcome = (outcome: PostOutcome, standing: AttemptPosition, now: Date, chance: number): Verdict => {
  if (isSuccess(outcome)) return { kind: 'delivered' };
  const error = errorOf(outcome, standing.timeoutMs);
  const isGone = outcome.kind === 'answered' && outcome.status === gone;
  if (isGone || !standing.willRetry) return { kind: 'failed', error, isGone };
  const retryAfter = outcome.kind === 'answered' && busy.includes(outcome.status) ? outcome.retryAfter : undefined;
  return { kind: 'retry', error, delaySeconds: retryDelay(standing.attempt - standing.roundStart, retryAfter, now, chance) };
};

export const isSuccess = (outcome: PostOutcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

/** In words that tell nothing of what lies behind the endpoint: no body, no address, and one word for all that cannot be reached. */
export const errorOf = (outcome: PostOutcome, timeoutMs: number): string => {
  if (outcome.kind === 'answered') return `HTTP ${outcome.status}`;
  return outcome.reason === 'timeout' ? `timed out after ${timeoutMs} ms` : failures[outcome.reason];
};

const failures = {
  unreachable: 'could not connect',
  certificate: 'the certificate is not valid',
  protocol: 'the answer was not valid HTTP',
} as const;
