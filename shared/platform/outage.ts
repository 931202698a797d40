import { AwsError } from './aws-error.ts';

/** Whether a failed call says that a part behind us is busy or away, so that the same call may work a moment later. */
export const isOutage = (error: unknown): boolean => {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof AwsError && (error.status >= 500 || error.status === 429)) return true;
  const { name, code } = error as Readonly<Record<string, unknown>>;
  return passing.has(String(name)) || passing.has(String(code)); // that of AWS, or Node's own
};

const passing = new Set([
  'LimitExceededException',
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
  'TransactionConflictException', // a single write met a transaction: it says nothing about the write's condition
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
