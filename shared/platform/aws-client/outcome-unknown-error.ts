/**
 * A conditional write failed its condition on a retry, after the response to an earlier attempt was lost. That attempt may have been
 * applied and may be the reason, so this is neither a success nor a conflict: read the item again. The error is transient.
 */
export class OutcomeUnknownError extends Error {
  constructor(lost: Error) {
    super('the outcome of a conditional write is unknown: the response to an earlier attempt was lost', { cause: lost });
    this.name = 'OutcomeUnknownError';
  }
}
