/** Runs one call of an SDK client within a total time budget, and removes response contents from its errors. */
import { tryLimits } from './request-handler.ts';
import { maxAttempts } from './sdk-config.ts';

/** The SDK's longest back-off after attempt n, that of a throttled call, is this times 2^(n - 1). */
const backoffBaseMs = 500;
const backoffMaxMs = backoffBaseMs * (2 ** (maxAttempts - 1) - 1);

/** The longest duration of a call with all attempts. It is below the timeout of every function that calls AWS. */
export const callBudgetMs = maxAttempts * tryLimits.requestMs + backoffMaxMs;

export interface SendOptions {
  readonly abortSignal: AbortSignal;
}

/** A call that exceeds its budget rejects with a TimeoutError, which is transient. Its outcome is unknown. */
export const callAws = async <T>(send: (options: SendOptions) => Promise<T>, budgetMs: number = callBudgetMs): Promise<T> => {
  const abortSignal = AbortSignal.timeout(budgetMs);
  try {
    return await send({ abortSignal });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (abortSignal.aborted) throw timeoutError(budgetMs, error);
    throw withoutBody(error);
  }
};

const timeoutError = (budgetMs: number, cause: Error): Error =>
  Object.assign(new Error(`AWS did not respond within ${budgetMs} ms`, { cause: withoutBody(cause) }), { name: 'TimeoutError' });

/** Replaces an error of reading a response: its message quotes the body. Name and code of a network error are kept. */
const unreadableAnswer = (error: Error & { readonly code?: unknown; readonly $metadata?: unknown }): Error =>
  Object.assign(new Error('the response of AWS could not be read'), {
    name: error instanceof SyntaxError ? 'UnreadableAnswerError' : error.name,
    ...(error.code !== undefined && { code: error.code }),
    $metadata: error.$metadata,
  });

/** The members of an SDK error that may be logged. */
const loggable = new Set(['name', 'message', 'stack', 'cause', '$fault', '$metadata']);

/**
 * Errors are logged with their causes and their enumerable members, and the SDK copies all members of a response body into them.
 * Code can still read the members that this hides.
 */
const withoutBody = (error: Error): Error => {
  if (error.cause instanceof Error) error.cause = withoutBody(error.cause);
  if (!('$fault' in error)) return '$response' in error ? unreadableAnswer(error) : error;
  for (const [name, { configurable }] of Object.entries(Object.getOwnPropertyDescriptors(error)))
    if (configurable && !loggable.has(name)) Object.defineProperty(error, name, { enumerable: false });
  return error;
};
