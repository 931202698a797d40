/**
 * A conditional write failed its condition on a retry, after the answer to an earlier try was lost. That try may have been applied and
 * may be what fails the condition now, so this is neither a success nor a conflict: read the item again. It is an outage.
 */
export class OutcomeUnknownError extends Error {
  constructor(lost: Error) {
    super('the outcome of a conditional write is unknown: the answer to an earlier try was lost', { cause: lost });
    this.name = 'OutcomeUnknownError';
  }
}
