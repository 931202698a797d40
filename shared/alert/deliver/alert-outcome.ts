import type { AttemptOutcome } from '../../delivery/index.ts';

/** The outcome of sending a message, whatever the channel. */
export interface AlertOutcome extends AttemptOutcome {
  readonly stored: {
    /** What the provider answered, as it may be shown. */
    readonly response: string | null;
    /** Addresses that have got the e-mail, in all attempts. */
    readonly sentTo?: readonly string[];
  };
}
