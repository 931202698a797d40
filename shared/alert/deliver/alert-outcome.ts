/** The outcome of sending a message, whatever the channel. */
export interface AlertOutcome {
  /** `gone`: the address no longer exists. `rejected`: a repetition would fail, too. */
  readonly kind: 'delivered' | 'retry' | 'gone' | 'rejected';
  /** Null if it was delivered. */
  readonly error: string | null;
  /** What the provider answered, as it may be shown. */
  readonly response: string | null;
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** How long the provider asks to wait. */
  readonly retryAfterSeconds?: number | undefined;
  /** Addresses that have got the e-mail, in all attempts. */
  readonly sentTo?: readonly string[] | undefined;
}
