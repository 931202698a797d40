/** Whether a failed call says that a part behind us is busy or away, so that the same call may work a moment later. */
export const isOutage = (error: unknown): boolean => {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, $fault, $retryable } = error as Readonly<Record<string, unknown>>;
  return (
    $fault === 'server' || $retryable !== undefined || passing.has(String(name)) || passing.has(String(code)) // the SDK's, or Node's own
  );
};

const passing = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
