/** Whether a service is busy or unreachable, so that a retry may succeed. */
export const isTransientAwsError = (error: unknown): boolean => {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, $metadata, $retryable } = error as SdkError;
  const status = $metadata?.httpStatusCode ?? 0;
  if (status >= 500 || status === 429 || $retryable !== undefined) return true;
  return transient.has(String(name)) || transient.has(String(code));
};

/** The members of an SDK error, or of a network error of Node. */
interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $retryable?: object;
}

const transient = new Set([
  'LimitExceededException',
  'OutcomeUnknownError',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
  'TransactionConflictException', // a clash of a single write with a transaction, which says nothing about the write's condition
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
