import type { ErrorDetails, JobErrorCode } from '../contract/errors.ts';

/** Why a job cannot go on, in the words of its record's `error`: trying again does not help. Its message is fit for the customer. */
export class JobFailure extends Error {
  readonly code: JobErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: JobErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JobFailure';
    this.code = code;
    this.details = details;
  }
}
