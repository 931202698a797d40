import type { PostOutcome } from '../../platform/index.ts';
import { retryDelay } from './retry-delay.ts';

export type DeliveryVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly error: string; readonly delaySeconds: number }
  /** `isGone`: the endpoint answered 410. */
  | { readonly kind: 'failed'; readonly error: string; readonly isGone: boolean };

/** `attempt` counts over all rounds; `roundStart` is the number of attempts before this round. */
interface AttemptPosition {
  readonly attempt: number;
  readonly roundStart: number;
  readonly willRetry: boolean;
  readonly timeoutMs: number;
}

export const gone = 410;
/** Statuses whose Retry-After is honoured. */
const busy = [429, 503];

/** Only 200 to 299 counts as delivered. Redirects are not followed. `random` is from 0 up to 1, for the jitter. */
export const classifyOutcome = (outcome: PostOutcome, position: AttemptPosition, now: Date, random: number): DeliveryVerdict => {
  if (isSuccess(outcome)) return { kind: 'delivered' };
  const error = errorOf(outcome, position.timeoutMs);
  const isGone = outcome.kind === 'answered' && outcome.status === gone;
  if (isGone || !position.willRetry) return { kind: 'failed', error, isGone };
  const retryAfter = outcome.kind === 'answered' && busy.includes(outcome.status) ? outcome.retryAfter : undefined;
  return { kind: 'retry', error, delaySeconds: retryDelay(position.attempt - position.roundStart, retryAfter, now, random) };
};

export const isSuccess = (outcome: PostOutcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

/** Reveals nothing about the network behind the endpoint: no body, no address, one message for every connection failure. */
export const errorOf = (outcome: PostOutcome, timeoutMs: number): string => {
  if (outcome.kind === 'answered') return `HTTP ${outcome.status}`;
  return outcome.reason === 'timeout' ? `timed out after ${timeoutMs} ms` : failures[outcome.reason];
};

const failures = {
  unreachable: 'could not connect',
  certificate: 'invalid certificate',
  protocol: 'the response was not valid HTTP',
} as const;
