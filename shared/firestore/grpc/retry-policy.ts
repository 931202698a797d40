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

/** Twice as long each time, less a random half: many readers of one source must not come back at the same moment. */
export const delayMs = (failures: number, isExhausted: boolean, random: () => number, of: RetryPolicy): number => {
  const [first, most] = isExhausted ? [of.firstExhaustedDelayMs, of.mostExhaustedDelayMs] : [of.firstDelayMs, of.mostDelayMs];
  return Math.min(most, first * 2 ** (failures - 1)) * (1 - random() / 2);
};
