/** Runs one call of an SDK client within a total time budget, and removes response contents from its errors. */
import { tryLimits } from './request-handler.ts';
import { maxAttempts } from './sdk-config.ts';

/** The SDK's longest back-off before try n + 1 is this times 2^(n - 1): that of a throttled call. */
const backoffBaseMs = 500;
const backoffMaxMs = backoffBaseMs * (2 ** (maxAttempts - 1) - 1);

/** The longest a call may take, all tries included. It is below the timeout of every function that calls AWS. */
export const callBudgetMs = maxAttempts * tryLimits.requestMs + backoffMaxMs;

export interface SendOptions {
  readonly abortSignal: AbortSignal;
}

/** A call that exceeds its budget rejects with a TimeoutError, which is an outage. Its outcome is unknown. */
export const callAws = async <T>(send: (options: SendOptions) => Promise<T>, budgetMs: number = callBudgetMs): Promise<T> => {
  const abortSignal = AbortSignal.timeout(budgetMs);
  try {
    return await send({ abortSignal });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (abortSignal.aborted) throw timeoutError(budgetMs, error);
    throw '$response' in error && !('$fault' in error) ? unreadableAnswer(error) : withoutItems(error);
  }
};

const timeoutError = (budgetMs: number, cause: Error): Error =>
  Object.assign(new Error(`AWS did not answer within ${budgetMs} ms`, { cause: withoutItems(cause) }), { name: 'TimeoutError' });

/** Replaces an error of reading a response: its message quotes the body. Name and code of a network error are kept. */
const unreadableAnswer = (error: Error & { readonly code?: unknown; readonly $metadata?: unknown }): Error =>
  Object.assign(new Error('the response of AWS could not be read'), {
    name: error instanceof SyntaxError ? 'UnreadableAnswerError' : error.name,
    ...(error.code !== undefined && { code: error.code }),
    $metadata: error.$metadata,
  });

/** Members of SDK errors that may contain an item or a response. */
const hidden = ['$response', 'CancellationReasons', 'Item'] as const;

/** Errors are logged with their enumerable members. Code can still read the hidden ones. */
const withoutItems = (error: Error): Error => {
  for (const name of hidden)
    if (Object.getOwnPropertyDescriptor(error, name)?.configurable) Object.defineProperty(error, name, { enumerable: false });
  return error;
};
