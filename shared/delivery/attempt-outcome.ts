/** What became of an attempt. */
import { iso, type PostOutcome } from '../platform/index.ts';

export interface AttemptOutcome {
  /** `gone`: the address no longer exists. `rejected`: a repetition would fail, too. */
  readonly kind: 'delivered' | 'retry' | 'gone' | 'rejected';
  /** Null if it was delivered. */
  readonly error: string | null;
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** How long the endpoint asks to wait, as the Retry-After header has it. */
  readonly retryAfter?: string | undefined;
  /** Attributes that only this kind of delivery has. */
  readonly stored: Readonly<Record<string, unknown>>;
}

/** The attributes of a delivery that an attempt sets, whatever follows. */
export const attemptAttributes = ({ error, statusCode, durationMs, stored }: AttemptOutcome, sentAt: Date) => ({
  statusCode,
  durationMs,
  lastError: error,
  lastAttemptAt: iso(sentAt),
  ...stored,
});

/** The attributes of a delivery after its only attempt, as of a test. If that failed, it can be retried like any other. */
export const endedAfter = (outcome: AttemptOutcome, sentAt: Date) =>
  ({
    status: outcome.kind === 'delivered' ? 'delivered' : 'failed',
    attempts: 1,
    attemptsMax: 1,
    ...attemptAttributes(outcome, sentAt),
    nextAttemptAt: null,
  }) as const;

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
