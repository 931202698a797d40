import type { JobErrorCode } from '../../contract/errors.ts';

/** Job error codes of reading a source or writing to a target. */
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
 * The only error that callers of this folder see. Its message is safe to show to customers: no token, no document. A token
 * supplier throws it with SOURCE_AUTH_ERROR if its grant was revoked.
 */
export class SourceError extends Error {
  readonly code: SourceErrorCode;
  /** Whether a later attempt may succeed. */
  readonly isTransient: boolean;
  /** Whether the database refused calls for lack of quota. */
  readonly isExhausted: boolean;

  constructor(
    code: SourceErrorCode,
    message: string,
    options: { cause?: unknown; isTransient?: boolean; isExhausted?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SourceError';
    this.code = code;
    this.isTransient = options.isTransient ?? false;
    this.isExhausted = options.isExhausted ?? code === 'WRITE_QUOTA_EXCEEDED';
  }
}

export const cancelled = (): SourceError => new SourceError('CANCELLED', 'Reading the source was cancelled.');
