import type { JobErrorCode } from '../../contract/errors.ts';

/** What reading a source, or writing to a target, can end with. */
export type SourceErrorCode = Extract<
  JobErrorCode,
  | 'SOURCE_AUTH_ERROR'
  | 'SNAPSHOT_EXPIRED'
  | 'COUNT_MISMATCH'
  | 'TARGET_PERMISSION_DENIED'
  | 'WRITE_QUOTA_EXCEEDED'
  | 'CANCELLED'
  | 'INTERNAL_ERROR'
>;

/**
 * The one error that leaves this room. Its message is fit for the customer: no token, no document. A supplier of tokens throws
 * it with SOURCE_AUTH_ERROR when its grant is gone for good.
 */
export class SourceError extends Error {
  readonly code: SourceErrorCode;
  /** Whether the same may succeed later: the source did not answer, though nothing says that it never will. */
  readonly isTransient: boolean;

  constructor(code: SourceErrorCode, message: string, options: { cause?: unknown; isTransient?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SourceError';
    this.code = code;
    this.isTransient = options.isTransient ?? false;
  }
}

export const cancelled = (): SourceError => new SourceError('CANCELLED', 'Reading the source was cancelled.');
